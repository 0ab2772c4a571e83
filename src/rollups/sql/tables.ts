import { columnsOf, DAYS, HOURS, type Key, type Level, STORED_LEVELS, storedOf } from '../levels.ts';
import { applyFunction, applyName } from './apply.ts';
import { APPLY_HOURS } from './hours.ts';
import { commentsOnStored } from './pieces.ts';

/** Levels as tables, to which each write adds: every tier without continuous aggregates. */

const KEY_TYPES: Partial<Record<Key, string>> = {
  device_id: 'text COLLATE "C" NOT NULL',
  user_id: 'text COLLATE "C" NOT NULL',
  hour_of_day: 'smallint NOT NULL',
};

function typeOf({ keys, peak }: Level, column: string): string {
  // A peak has the type of what it is one of, and may be missing.
  if (column === peak?.column) return (KEY_TYPES[peak.of] ?? 'timestamptz').replace(' NOT NULL', '');
  if (keys.includes(column as Key)) return KEY_TYPES[column as Key] ?? 'timestamptz NOT NULL';
  return 'bigint NOT NULL';
}

/** The level's table, and the function that adds to it. */
export function tableOf(level: Level): string {
  const { keys, primaryKey, time } = level;
  const stored = storedOf(level);
  const columns = columnsOf(level);
  const width = Math.max(...columns.map((column) => column.length));
  const lines = columns.map((column) => `  ${column.padEnd(width)} ${typeOf(level, column)},\n`).join('');
  // Found by its owner, too, where that is not what the key begins with.
  const byUser = primaryKey[0] !== 'user_id' && keys.includes('user_id');
  const index = byUser ? `\nCREATE INDEX IF NOT EXISTS ${stored}_user ON ${stored} (user_id, ${time});` : '';
  return `CREATE TABLE IF NOT EXISTS ${stored} (
${lines}  PRIMARY KEY (${primaryKey.join(', ')})
);
${commentsOnStored(level, 'TABLE')}${index}

${applyFunction(level)}
`;
}

/** The door of the ingest transaction. */
export const applyAll = (): string => `-- The one door of the ingest transaction: every level, bottom up.
CREATE OR REPLACE FUNCTION apply_interval_deltas(deltas interval_delta[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
${[APPLY_HOURS, ...STORED_LEVELS.map(applyName)].map((name) => `  PERFORM ${name}(deltas);\n`).join('')}END
$$;
`;

/** Rows of a user, and of what is told apart of its devices (`meterKey`): a zero comes after the slash. */
const OF_USER = `(user_id = whose OR (user_id > whose || '/' AND user_id < whose || '0'))`;

/** What goes with a user. */
export const eraseAll = (): string => `-- Everything that was computed of a user, gone with this transaction.
CREATE OR REPLACE FUNCTION erase_consumption(whose text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  -- Hours before days: packing moves them from the one to the other.
${[HOURS.relation, DAYS.relation, ...STORED_LEVELS.map(storedOf)].map((name) => `  DELETE FROM ${name} WHERE ${OF_USER};\n`).join('')}END
$$;
`;
