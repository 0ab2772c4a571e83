import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { makeRelease, ReleaseRefusedError } from './release.ts';

const USAGE = 'Usage: npm run release -- --version X.Y.Z [--output FOLDER]';
const ROOT = resolve(import.meta.dirname, '../..');

try {
  const options = { version: { type: 'string' }, output: { type: 'string', default: 'release' } } as const;
  const { version, output } = parseArgs({ options }).values;
  if (version === undefined) throw new ReleaseRefusedError(USAGE);
  const folder = resolve(ROOT, output);
  for (const name of await makeRelease(ROOT, version, folder)) console.log(name);
  console.log(`Made in ${folder}.`);
} catch (error) {
  if (
    !(error instanceof ReleaseRefusedError) &&
    (error as NodeJS.ErrnoException).code?.startsWith('ERR_PARSE_ARGS') !== true
  )
    throw error;
  console.error((error as Error).message);
  process.exitCode = 1;
}
