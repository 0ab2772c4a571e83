import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { POSTGRES_PACKAGE_NAME } from '#src/database/postgres-binaries.ts';

/** Previous major version of PostgreSQL. Tests upgrade from this version. */
export const EARLIER_POSTGRES_MAJOR = 17;
/** Folder of the previous version's programs, which `npm run test:setup` installs with npm. */
export const EARLIER_POSTGRES_FOLDER = join(
  process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'),
  'energy-usage-service',
  `postgres-${EARLIER_POSTGRES_MAJOR}`,
);

export const hasEarlierPostgres = (): boolean =>
  existsSync(join(EARLIER_POSTGRES_FOLDER, 'node_modules', POSTGRES_PACKAGE_NAME));
