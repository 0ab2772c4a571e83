import type { z } from 'zod';
import { CsvRows, isNestedTooDeeply } from '#src/api/bodies.ts';
import { listFieldErrors } from '#src/api/validation-errors.ts';
import { readCsvTable } from '#src/core/csv-table.ts';
import { createUnprocessableError, type FieldError } from '#src/core/errors.ts';
import { mapWithoutBlocking } from '#src/core/turns.ts';
import { describeValidationIssue } from '#src/core/validation-messages.ts';
import type { DeviceImportRow } from '#src/onboarding/plan.ts';
import { createDeviceImportRow, importedDeviceSchema } from './shape.ts';

/** Names of the columns that a table of devices may have. */
export const IMPORT_COLUMNS = Object.keys(importedDeviceSchema.shape);
const NUMBERS = new Set(['limit_kw', 'register_max_kwh', 'max_gap_minutes']);
const JSON_CELLS = new Set(['channels', 'decoder_config']);

/**
 * Parses a table of devices into rows with a member for each cell that is not empty. The values are validated later. Throws 422
 * with the number of the line if the text is not such a table.
 */
export async function parseDeviceTable(text: string, maxRows: number): Promise<CsvRows> {
  const { header, rows } = await readCsvTable(text, maxRows);
  const mistakes = wrongColumns(header);
  if (mistakes.length > 0) throw createUnprocessableError(...mistakes);
  const devices = new CsvRows();
  for (const { line, cells } of rows) {
    if (cells.length !== header.length)
      mistakes.push({
        field: `line ${line}`,
        message: `has ${cells.length} columns, but the header has ${header.length}`,
      });
    const namedCells = header
      .map((name, index) => [name, cells[index] ?? ''] as const)
      .filter(([, cell]) => cell !== '');
    devices.push(Object.fromEntries(namedCells.map(([name, cell]) => [name, cellValue(name, cell)])));
    devices.lines.push(line);
  }
  if (mistakes.length > 0) throw createUnprocessableError(...mistakes);
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
    ...unknown.map((name) => ({
      field,
      message: `${JSON.stringify(name.slice(0, 100))} is not a known column; ${known}`,
    })),
    ...[...new Set(twice)].map((name) => ({ field, message: `${name.slice(0, 100)} occurs twice` })),
    ...missing.map((name) => ({ field, message: `the column ${name} is missing` })),
  ];
}

/**
 * Returns the value of a cell. A text that cannot be converted to the column's type is returned unchanged, so that the later
 * validation reports the column.
 */
function cellValue(name: string, cell: string): unknown {
  if (NUMBERS.has(name)) return /^-?\d+(\.\d+)?$/.test(cell) ? Number(cell) : cell;
  if (!JSON_CELLS.has(name)) return cell;
  try {
    const value: unknown = JSON.parse(cell);
    return isNestedTooDeeply(value) ? cell : value;
  } catch {
    return cell;
  }
}

/** Result of validating the rows of a table. */
interface CheckedRows {
  /** The valid rows, in the form of a request. `rows` contains the same rows in the form that the import needs. */
  devices: z.output<typeof importedDeviceSchema>[];
  rows: DeviceImportRow[];
  /** Errors of the invalid rows. Each names the line and the member, such as `line 3.type`. */
  mistakes: FieldError[];
}

/**
 * Validates all rows of a table and collects all errors. Other requests are handled between rows. `nameOf`: returns the name of a
 * row for error messages. `isOwnerNeeded`: whether each row must name an owner, as on the command line.
 */
export async function validateDeviceRows(
  values: readonly Record<string, unknown>[],
  nameOf: (index: number) => string,
  { isOwnerNeeded = false } = {},
): Promise<CheckedRows> {
  const checked: CheckedRows = { devices: [], rows: [], mistakes: [] };
  let index = 0;
  await mapWithoutBlocking(values, (value) => {
    const name = nameOf(index++);
    const parsed = importedDeviceSchema.safeParse(value, { error: describeValidationIssue });
    const hasOwner = !isOwnerNeeded || 'user_id' in value || 'email' in value;
    if (!hasOwner)
      checked.mistakes.push({ field: `${name}.user_id`, message: 'must name the owner in user_id or email' });
    if (!parsed.success) {
      const wrong = listFieldErrors(parsed.error, 'row', String);
      checked.mistakes.push(...wrong.map((one) => ({ ...one, field: `${name}.${one.field}` })));
    } else if (hasOwner) {
      checked.devices.push(parsed.data);
      checked.rows.push(createDeviceImportRow(name, parsed.data));
    }
  });
  return checked;
}
