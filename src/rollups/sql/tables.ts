import {
  COLUMN_BY_MEASURE,
  getClosedHoursRelation,
  KNOWN_DATA_COLUMNS,
  listRollupColumns,
  MEASURE_COLUMNS,
  PACKED_DAYS_TABLE,
  type RollupKey,
  type RollupLevel,
  STORED_HOURS_TABLE,
  STORED_ROLLUP_LEVELS,
} from '../levels.ts';
import { APPLY_HOURS_FUNCTION } from './hours.ts';
import {
  closedHoursCommentsSql,
  DELTAS_SOURCE,
  getSourceRollupLevel,
  rollupKeyColumnSql,
  rollupKeyColumnsSql,
  rollupKeyOrdinalsSql,
} from './pieces.ts';

/** Functions that generate the SQL of levels that are tables, for databases without continuous aggregates. Each write updates them. */

const KEY_TYPES: Partial<Record<RollupKey, string>> = {
  device_id: 'text COLLATE "C" NOT NULL',
  user_id: 'text COLLATE "C" NOT NULL',
  hour_of_day: 'smallint NOT NULL',
};

function typeOf({ keys, peak }: RollupLevel, column: string): string {
  // The column of a peak has the type of the key to which it refers, and may be null.
  if (column === peak?.column) return (KEY_TYPES[peak.of] ?? 'timestamptz').replace(' NOT NULL', '');
  if (keys.includes(column as RollupKey)) return KEY_TYPES[column as RollupKey] ?? 'timestamptz NOT NULL';
  return 'bigint NOT NULL';
}

export function levelTableSql(level: RollupLevel): string {
  const { keys, primaryKey, time } = level;
  const stored = getClosedHoursRelation(level);
  const columns = listRollupColumns(level);
  const width = Math.max(...columns.map((column) => column.length));
  const lines = columns.map((column) => `  ${column.padEnd(width)} ${typeOf(level, column)},\n`).join('');
  const byUser = primaryKey[0] !== 'user_id' && keys.includes('user_id');
  const index = byUser ? `\nCREATE INDEX IF NOT EXISTS ${stored}_user ON ${stored} (user_id, ${time});` : '';
  return `CREATE TABLE IF NOT EXISTS ${stored} (
${lines}  PRIMARY KEY (${primaryKey.join(', ')})
);
${closedHoursCommentsSql(level, 'TABLE')}${index}

${applyFunction(level)}
`;
}

/** Returns the SQL of the function that writes changes of consumption. */
export const applyDeltasFunctionSql = (): string => `-- The one door of the ingest transaction: every level, bottom up.
CREATE OR REPLACE FUNCTION apply_interval_deltas(deltas interval_delta[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
${[APPLY_HOURS_FUNCTION, ...STORED_ROLLUP_LEVELS.map(applyName)].map((name) => `  PERFORM ${name}(deltas);\n`).join('')}END
$$;
`;

/**
 * SQL condition on the rows of a user and of its gas, heat and water meters, whose keys have a slash after the user's id. In sort order,
 * `0` follows the slash.
 */
const OF_USER = `(user_id = whose OR (user_id > whose || '/' AND user_id < whose || '0'))`;

export const eraseConsumptionFunctionSql =
  (): string => `-- Everything that was computed of a user, gone with this transaction.
CREATE OR REPLACE FUNCTION erase_consumption(whose text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  -- Hours before days: packing moves them from the one to the other.
${[STORED_HOURS_TABLE.relation, PACKED_DAYS_TABLE.relation, ...STORED_ROLLUP_LEVELS.map(getClosedHoursRelation)].map((name) => `  DELETE FROM ${name} WHERE ${OF_USER};\n`).join('')}END
$$;
`;

const applyName = ({ relation }: RollupLevel): string => `apply_${relation}`;

const nothingKnown = (alias: string): string =>
  KNOWN_DATA_COLUMNS.map((column) => `${alias}.${column} = 0`).join(' AND ');

/** Returns the SQL of the function that adds changes to a level, and deletes rows without known data. */
function applyFunction(level: RollupLevel): string {
  const { keys, primaryKey, peak } = level;
  const relation = getClosedHoursRelation(level);
  const rowKeys = keys.map((key) => rollupKeyColumnSql(level, key, DELTAS_SOURCE)).join(', ');
  const summed = MEASURE_COLUMNS.map((column) => `sum(d.${column})`).join(', ');
  const added = MEASURE_COLUMNS.map((column) => `    ${column} = t.${column} + excluded.${column}`).join(',\n');
  const falls = KNOWN_DATA_COLUMNS.map((column) => `d.${column} < 0`).join(' OR ');
  const same = primaryKey.map((key) => `t.${key} = d.${key}`).join(' AND ');
  return `CREATE OR REPLACE FUNCTION ${applyName(level)}(deltas interval_delta[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  -- In key order, so that two writers that share rows never wait for each other in a circle.
  INSERT INTO ${relation} AS t (${[...keys, ...MEASURE_COLUMNS].join(', ')})
  SELECT ${rowKeys}, ${summed}
  FROM unnest(deltas) d
  GROUP BY ${rollupKeyOrdinalsSql(level)}
  ORDER BY ${rollupKeyOrdinalsSql(level)}
  ON CONFLICT (${primaryKey.join(', ')}) DO UPDATE SET
${added};
  -- Where nothing is known any more there is no row, never a 0.
  IF EXISTS (SELECT FROM unnest(deltas) d WHERE ${falls}) THEN
    DELETE FROM ${relation} t
    USING (SELECT DISTINCT ${rollupKeyColumnsSql(level, DELTAS_SOURCE)} FROM unnest(deltas) d) d
    WHERE ${same} AND ${nothingKnown('t')};
  END IF;${peak ? `\n${peakUpdate(level, peak)}` : ''}
END
$$;`;
}

/** A day is 24 hours, because the length of a day in the session's time zone may differ. */
const LENGTH: Record<RollupLevel['unit'], string> = {
  'quarter-hour': '15 minutes',
  hour: '1 hour',
  day: '24 hours',
  month: '1 month',
};

/** Returns the SQL that recomputes the peaks of changed rows from the level below. */
function peakUpdate(level: RollupLevel, peak: NonNullable<RollupLevel['peak']>): string {
  const { time, keys } = level;
  const below = getSourceRollupLevel(level);
  const measure = COLUMN_BY_MEASURE[peak.measure];
  const [owner] = keys;
  return `  -- The ${peak.of} with the highest sum, the earliest of equals.
  UPDATE ${getClosedHoursRelation(level)} u SET ${peak.column} = p.${peak.column}
  FROM (
    SELECT ${keys.map((key) => `k.${key}`).join(', ')}, (
      SELECT h.${peak.of} FROM ${getClosedHoursRelation(below)} h
      WHERE h.${owner} = k.${owner} AND h.${below.time} >= k.${time} AND h.${below.time} < k.${time} + interval '${LENGTH[level.unit]}' AND h.${measure} > 0
      ORDER BY h.${measure} DESC, h.${peak.of} LIMIT 1
    ) AS ${peak.column}
    FROM (SELECT DISTINCT ${rollupKeyColumnsSql(level, DELTAS_SOURCE)} FROM unnest(deltas) d) k
  ) p
  WHERE ${keys.map((key) => `u.${key} = p.${key}`).join(' AND ')} AND u.${peak.column} IS DISTINCT FROM p.${peak.column};`;
}
