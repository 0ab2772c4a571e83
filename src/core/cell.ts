/**
 * The cell of this installation. A cell is one of several installations behind one router (deploy/cells). Identifiers of accounts, devices
 * and gateways, API keys, and secrets of people (cookies, mailed tokens) contain the cell's name, so that the router finds the cell without
 * a directory. The first cell has no name, so its identifiers contain none. Only this file writes and parses the name.
 */

const NAME = '[a-z][a-z0-9]{0,7}';
const WHOLE_NAME = new RegExp(`^${NAME}$`);

/**
 * Pattern of an identifier after its prefix and `_`, for use in larger patterns: the cell's name and `_`, except in the
 * first cell, and 26 characters of base32.
 */
export const ID_PATTERN: string = `(?:${NAME}_)?[0-9a-z]{26}`;

/** Whether a text can be the name of a cell: a lower-case letter, followed by up to seven lower-case letters or digits. */
export const isCellName = (text: string): boolean => WHOLE_NAME.test(text);

let cell: string | undefined;

/** Sets the cell of this process; undefined for the first cell. Called by `loadConfig`. */
export function setCell(name: string | undefined): void {
  cell = name;
}

/** Returns the text between the prefix of an identifier or key and its random part: the cell's name and `_`, or nothing. */
export const getCellInfix = (): string => (cell === undefined ? '' : `${cell}_`);

/**
 * Prefixes a person's secret (a cookie or a mailed token) with the cell's name and a dot. The separator is a dot, because secrets are
 * base64url and may contain `_`.
 */
export const prefixWithCell = (secret: string): string => (cell === undefined ? secret : `${cell}.${secret}`);

// Matches an identifier or a generated key that contains a cell: the prefix, the cell, and the 26 characters of an identifier or the 42
// characters of a key.
const MARKED = new RegExp(`^(?:[a-z]{3}_(${NAME})_[0-9a-z]{26}|eus_[a-z]+_(${NAME})_[0-9A-Za-z]{42}|(${NAME})\\..+)$`);

/**
 * Returns the cell that created an identifier, a generated key, or a secret that `prefixWithCell` returned. Null for the first cell. Pure.
 */
export function parseCell(text: string): string | null {
  const [, ofId, ofKey, ofSecret] = MARKED.exec(text) ?? [];
  return ofId ?? ofKey ?? ofSecret ?? null;
}
