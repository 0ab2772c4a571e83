import type { z } from 'zod';
import { CsvRows } from '#src/api/csv-rows.ts';
import { isTooDeep } from '#src/api/nesting.ts';
import { validationErrors } from '#src/api/validation-errors.ts';
import { readCsvTable } from '#src/core/csv-table.ts';
import { type FieldError, unprocessable } from '#src/core/errors.ts';
import { words } from '#src/core/mistake-words.ts';
import { mapInTurns } from '#src/core/turns.ts';
import type { ImportRow } from '#src/onboarding/plan.ts';
import { importedDevice, rowOf } from './shape.ts';

/** Every column that a table of devices may have. */
export const IMPORT_COLUMNS = Object.keys(importedDevice.shape);
const NUMBERS = new Set(['limit_kw', 'register_max_kwh', 'max_gap_minutes']);
const JSON_CELLS = new Set(['channels', 'decoder_config']);

/**
 * Reads a table of devices into rows of the members that its header names; an empty cell is a member that is not given. What is in the cells is checked
 * by `importedDevice`. Throws `unprocessable`, with the line, where it is no such table.
 */
export async function readDevices(text: string, maxRows: number): Promise<CsvRows> {
  const { header, rows } = await readCsvTable(text, maxRows);
  const mistakes = wrongColumns(header);
  if (mistakes.length > 0) throw unprocessable(...mistakes);
  const devices = new CsvRows();
  for (const { line, cells } of rows) {
    if (cells.length !== header.length)
      mistakes.push({ field: `line ${line}`, message: `has ${cells.length} columns, and the header ${header.length}` });
    const given = header.map((name, index) => [name, cells[index] ?? ''] as const).filter(([, cell]) => cell !== '');
    devices.push(Object.fromEntries(given.map(([name, cell]) => [name, cellValue(name, cell)])));
    devices.lines.push(line);
  }
  if (mistakes.length > 0) throw unprocessable(...mistakes);
  return devices;
}

function wrongColumns(header: readonly string[]): FieldError[] {
  const field = 'line 1';
  const known = `known are ${IMPORT_COLUMNS.join(', ')}`;
  if (header.length === 0) return [{ field, message: `must name the columns; ${known}` }];
  const unknown = header.filter((name) => !IMPORT_COLUMNS.includes(name));
  const twice = header.filter((name, index) => header.indexOf(name) !== index);
  const missing = ['type', 'location'].filter((name) => !header.includes(name));
  return [
    ...unknown.map((name) => ({ field, message: `${JSON.stringify(name.slice(0, 100))} is no column; ${known}` })),
    ...[...new Set(twice)].map((name) => ({ field, message: `${name.slice(0, 100)} is there twice` })),
    ...missing.map((name) => ({ field, message: `the column ${name} is missing` })),
  ];
}

/** What a cell says; where it says nothing of that kind, its text, which is refused by its name. */
function cellValue(name: string, cell: string): unknown {
  if (NUMBERS.has(name)) return /^-?\d+(\.\d+)?$/.test(cell) ? Number(cell) : cell;
  if (!JSON_CELLS.has(name)) return cell;
  try {
    const value: unknown = JSON.parse(cell);
    return isTooDeep(value) ? cell : value;
  } catch {
    return cell;
  }
}

/** Rows of a table, each looked at by itself. */
interface CheckedRows {
  /** Those that are valid, and the same as an import takes them. */
  devices: z.output<typeof importedDevice>[];
  rows: ImportRow[];
  /** What is wrong with the others, named by `line 3.type`. */
  mistakes: FieldError[];
}

/** Looks at every row of a table, also after the first mistakes, with a turn for others every few rows. `nameOf`: what a row is called. `isOwnerNeeded`: nobody's own is meant where a row names no owner. */
export async function checkRows(
  values: readonly Record<string, unknown>[],
  nameOf: (index: number) => string,
  { isOwnerNeeded = false } = {},
): Promise<CheckedRows> {
  const checked: CheckedRows = { devices: [], rows: [], mistakes: [] };
  let index = 0;
  await mapInTurns(values, (value) => {
    const name = nameOf(index++);
    const parsed = importedDevice.safeParse(value, { error: words });
    const hasOwner = !isOwnerNeeded || 'user_id' in value || 'email' in value;
    if (!hasOwner) checked.mistakes.push({ field: `${name}.user_id`, message: 'name the owner: user_id or email' });
    if (!parsed.success) {
      const wrong = validationErrors(parsed.error, 'row', String);
      checked.mistakes.push(...wrong.map((one) => ({ ...one, field: `${name}.${one.field}` })));
    } else if (hasOwner) {
      checked.devices.push(parsed.data);
      checked.rows.push(rowOf(name, parsed.data));
    }
  });
  return checked;
}
