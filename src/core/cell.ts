/**
 * The cell of this installation: one of several installations behind one router. Identifiers, API keys and cookies contain the cell's name,
 * so that the router finds the cell. The first cell has no name.
 */

const NAME = '[a-z][a-z0-9]{0,7}';
const WHOLE_NAME = new RegExp(`^${NAME}$`);

/** Pattern of an identifier after its prefix and `_`: the cell's name and `_` (except in the first cell), and 26 characters of base32. */
export const ID_PATTERN: string = `(?:${NAME}_)?[0-9a-z]{26}`;

/** Whether a text can be the name of a cell: up to eight lower-case letters or digits, first a letter. */
export const isCellName = (text: string): boolean => WHOLE_NAME.test(text);

let cell: string | undefined;

/** Sets the cell of this process; undefined for the first cell. */
export function setCell(name: string | undefined): void {
  cell = name;
}

/** Returns the part of an identifier or key after its prefix: the cell's name and `_`, or nothing. */
export const getCellInfix = (): string => (cell === undefined ? '' : `${cell}_`);

/** Prefixes a person's secret (a cookie or a mailed token) with the cell's name and a dot, which no secret contains. */
export const prefixWithCell = (secret: string): string => (cell === undefined ? secret : `${cell}.${secret}`);

// Matches an identifier or a generated key that contains a cell's name.
const MARKED = new RegExp(`^(?:[a-z]{3}_(${NAME})_[0-9a-z]{26}|eus_[a-z]+_(${NAME})_[0-9A-Za-z]{42}|(${NAME})\\..+)$`);

/** Returns the name of the cell in an identifier, a generated key, or a person's secret. Null for the first cell. */
export function parseCell(text: string): string | null {
  const [, ofId, ofKey, ofSecret] = MARKED.exec(text) ?? [];
  return ofId ?? ofKey ?? ofSecret ?? null;
}
