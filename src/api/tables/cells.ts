import { DAY_MS } from '#src/core/units.ts';
/** Style of a cell in a spreadsheet: an index into `NUMBER_FORMATS`. */
export type CellStyle = number;

/** Number formats of cells (ECMA-376, part 1, 18.8.31). The first is for texts, the second for the header. */
export const NUMBER_FORMATS = [
  'General',
  'General',
  'yyyy\\-mm\\-dd',
  'yyyy\\-mm',
  'hh:mm',
  'yyyy\\-mm\\-dd\\ hh:mm',
  '0.000',
  '0.0%',
  '0.0',
  // Formats for money and emissions, by number of decimals: those of the currency, and two more in rows by hour and
  // shorter.
  '0',
  '0.0',
  '0.00',
  '0.000',
  '0.0000',
  '0.00000',
  '0.000000',
] as const;
export const HEADER_STYLE: CellStyle = 1;
const [DATE, MONTH, TIME, INSTANT, ENERGY, SHARE, TENTHS, MONEY] = [2, 3, 4, 5, 6, 7, 8, 9];

/** Days from day 0 of spreadsheets (1899-12-30) to 1970. */
const DAYS_BEFORE_1970 = 25_569;
const serialOf = (iso: string): number => Date.parse(iso) / DAY_MS + DAYS_BEFORE_1970;

/** A cell: a number (as written in XML), a boolean, or a text, which is never a formula. */
export type Cell =
  | { kind: 'number'; text: string; style: CellStyle }
  | { kind: 'boolean'; value: boolean }
  | { kind: 'text'; text: string };

const number = (value: number | string, style: CellStyle): Cell => ({ kind: 'number', text: String(value), style });

/** Returns the spreadsheet cell of a value, by its column and its type. Null for an empty cell. Pure. */
export function formatCell(column: string, value: unknown): Cell | null {
  if (value === null || value === undefined || value === '') return null;
  if (typeof value === 'number') return number(value, numberStyle(column));
  if (typeof value === 'boolean') return { kind: 'boolean', value };
  const text = String(value);
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return number(serialOf(text), DATE);
  if (/^\d{4}-\d\d$/.test(text)) return number(serialOf(text), MONTH);
  const [, hours, minutes] = /^(\d\d):(\d\d)$/.exec(text) ?? [];
  if (hours && minutes) return number((Number(hours) * 60 + Number(minutes)) / 1_440, TIME);
  // The cell is the local time in the response's zone. The offset has its own column.
  if (column === 'starts_at') return number(serialOf(`${text.slice(0, 19)}Z`), INSTANT);
  const [, fraction] = /^-?\d+(?:\.(\d{1,6}))?$/.exec(text) ?? [null, null];
  if (/^(cost|emissions)_/.test(column) && fraction !== null) return number(text, MONEY + (fraction?.length ?? 0));
  return { kind: 'text', text };
}

function numberStyle(column: string): CellStyle {
  if (/_kwh$|^(kwh|m3)_used$|_m3$/.test(column)) return ENERGY;
  if (column === 'autarky' || column === 'coverage') return SHARE;
  return /_c$|_c_|percent$/.test(column) ? TENTHS : 0;
}
