import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, givenVariables, listeningVariables, loadConfig } from '#src/config/load.ts';
import { runningOn } from './data-dir-lock.ts';

const fileIn = (dataDir: string): string => join(dataDir, 'listening.json');

/**
 * Writes where the running service listens, and what it tells devices, into its data directory, as the variables that say so. Who
 * holds the directory may. Returns how to take it back.
 */
export function writeListening(config: Config): () => void {
  const file = fileIn(config.dataDir);
  const mine = `${file}.${randomBytes(8).toString('hex')}`;
  writeFileSync(mine, `${JSON.stringify(listeningVariables(config), null, 2)}\n`, { flag: 'wx', mode: 0o600 });
  // Whole at any moment.
  renameSync(mine, file);
  return () => rmSync(file, { force: true });
}

/**
 * The configuration of a command beside the service: where the environment says nothing, that of the service which runs on the data directory. The demo
 * listens elsewhere than the defaults say, and 0 is another port at each start. Throws a ConfigError as loadConfig does.
 */
export function loadConfigBeside(env?: Record<string, string | undefined>): Config {
  const given = givenVariables(env);
  const config = loadConfig(given);
  // One that was killed leaves its file behind.
  if (runningOn(config.dataDir) === null) return config;
  return loadConfig({ ...readListening(config.dataDir), ...given });
}

/** Nothing where the service is of a version before, or has only begun. */
function readListening(dataDir: string): Record<string, string> {
  try {
    return JSON.parse(readFileSync(fileIn(dataDir), 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new Error(`${fileIn(dataDir)} cannot be read: ${(error as Error).message}. The next start writes it anew.`);
  }
}
