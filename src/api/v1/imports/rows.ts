import type { z } from 'zod';
import { mistakesIn } from '#src/api/mistakes.ts';
import type { FieldError } from '#src/core/errors.ts';
import { words } from '#src/core/mistake-words.ts';
import { mapInTurns } from '#src/core/turns.ts';
import type { ImportRow } from '#src/onboarding/plan.ts';
import { importedDevice, rowOf } from './shape.ts';

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
      const wrong = mistakesIn(parsed.error, 'row', String);
      checked.mistakes.push(...wrong.map((one) => ({ ...one, field: `${name}.${one.field}` })));
    } else if (hasOwner) {
      checked.devices.push(parsed.data);
      checked.rows.push(rowOf(name, parsed.data));
    }
  });
  return checked;
}
