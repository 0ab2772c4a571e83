import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * What of the repository the image is built of, as pathspecs of git: the lines of `.dockerignore`, which leaves out everything and takes some
 * back (`!path`), and lastly leaves out some of that, and the Dockerfile. Throws where a line is of another form. Pure but for reading it.
 */
export function contextPaths(root: string): string[] {
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
