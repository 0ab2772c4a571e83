import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Returns, as git pathspecs, the files of the repository from which the container image is built: the Dockerfile and the paths of
 * `.dockerignore`. That file excludes everything, then re-includes some paths (`!path`), and finally excludes some of the re-included paths
 * again. Throws if a line has another form.
 */
export function listBuildContextPaths(root: string): string[] {
  const [everything, ...lines] = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n').filter(Boolean);
  if (everything !== '*')
    throw new Error('.dockerignore must begin with *, so that it names what the image is built of');
  const paths = lines.map((line) => {
    if (/^![\w./-]+$/.test(line)) return line.slice(1);
    if (line.startsWith('**/')) return `:(exclude,glob)${line}`;
    throw new Error(`.dockerignore: ${line} is of a form that deploy/release/context.ts does not know`);
  });
  return ['.dockerignore', 'deploy/Dockerfile', ...paths];
}
