import { readFile } from 'node:fs/promises';
import { InvalidArgumentError } from 'commander';
import { isTimeZone } from '#src/energy/ranges.ts';

/** Parses the value of the option `--tz`, a time zone. Throws if it is invalid. */
export function parseZone(name: string): string {
  if (!isTimeZone(name))
    throw new InvalidArgumentError('Must be a time zone of the IANA database, such as Europe/Berlin.');
  return name;
}

/** Parses the value of the option `--limit`. Throws if it is invalid. */
export function parseLimit(text: string | undefined): number {
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1) throw new Error('--limit must be a number of 1 or more');
  return limit;
}

/** Reads the first line of a file that contains a secret. `what`: name of the secret, for the error message. */
export async function readFirstLine(file: string, what: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new Error(`The ${what} cannot be read: ${error.message}`);
  });
  return text.split(/\r?\n/, 1)[0] ?? '';
}
