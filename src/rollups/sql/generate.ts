import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import {
  CONTINUOUS_AGGREGATE_LEVELS,
  findRollupLevel,
  getClosedHoursRelation,
  getExpectedValuesRelation,
  ROLLUP_LEVELS,
  type RollupLevel,
  STORED_ROLLUP_LEVELS,
} from '../levels.ts';
import { applyChangesFunctionsSql, continuousAggregateSql, monthsViewSql } from './continuous.ts';
import { applyHoursFunctionSql, closedHourViewsSql } from './hours.ts';
import { closeOpenHoursFunctionSql, openHourViewsSql, publicViewsSql } from './open.ts';
import { packingFunctionsSql } from './pack.ts';
import {
  createRollupSource,
  getSourceRollupLevel,
  hasKnownDataSql,
  peakColumnSql,
  quoteLiteral,
  rollupKeyColumnsSql,
  rollupKeyOrdinalsSql,
  sumsPerMeasureSql,
} from './pieces.ts';
import { applyDeltasFunctionSql, eraseConsumptionFunctionSql, levelTableSql } from './tables.ts';

const DEVICE_HOURLY = findRollupLevel('device_hourly');

/** Returns the SQL of the view that computes what a level should contain. */
function expectedView(level: RollupLevel): string {
  const below = getSourceRollupLevel(level);
  const [source, relation] = level.peak
    ? [below, getExpectedValuesRelation(below)]
    : [DEVICE_HOURLY, getClosedHoursRelation(DEVICE_HOURLY)];
  const says = `${getClosedHoursRelation(level)} as the load profile says it should be: what \`energy rollups check\` compares with.`;
  return `CREATE OR REPLACE VIEW ${getExpectedValuesRelation(level)} AS
SELECT ${rollupKeyColumnsSql(level, createRollupSource(source))},
${sumsPerMeasureSql()}${peakColumnSql(level)}
FROM ${relation}
GROUP BY ${rollupKeyOrdinalsSql(level)}
HAVING ${hasKnownDataSql()};
COMMENT ON VIEW ${getExpectedValuesRelation(level)} IS ${quoteLiteral(says)};
`;
}

const expectedViews = (): string =>
  [
    '-- What the load profile says that each aggregate should hold, on every tier.\n',
    ...STORED_ROLLUP_LEVELS.map(expectedView),
  ].join('\n');

/** Folder of the generated SQL files. Those written by hand are in its subfolder by-hand/. */
export const ROLLUP_SQL_FOLDER = fileURLToPath(new URL('../../../sql/rollups/', import.meta.url));

const HEADER = '-- Generated from src/rollups/levels.ts by `npm run sql`; a test holds it to that.\n\n';
/** Number in the name of the first level's file. Files are applied in numerical order. */
const FIRST_LEVEL = 3;

/** Returns the text of every generated file of sql/rollups by its path. */
export function generateRollupSqlFiles(): Map<string, string> {
  const files: [string, string][] = [
    ['common/1_1_device_hours.sql', applyHoursFunctionSql()],
    ['common/1_2_closed.sql', closedHourViewsSql()],
    ['common/1_3_packing.sql', packingFunctionsSql()],
    ['common/2_expected.sql', expectedViews()],
    ['common/7_1_open_hours.sql', openHourViewsSql()],
    ['common/7_2_levels.sql', publicViewsSql()],
    ['common/9_close_open_hours.sql', closeOpenHoursFunctionSql()],
    ['postgres/8_apply.sql', applyDeltasFunctionSql()],
    ['postgres/9_erase.sql', eraseConsumptionFunctionSql()],
    ['timescale/8_apply.sql', applyChangesFunctionsSql()],
  ];
  const add = (folder: string, level: RollupLevel, text: string) =>
    files.push([`${folder}/${FIRST_LEVEL + ROLLUP_LEVELS.indexOf(level)}_${getClosedHoursRelation(level)}.sql`, text]);
  for (const level of STORED_ROLLUP_LEVELS) {
    add('postgres', level, levelTableSql(level));
    add(
      'timescale',
      level,
      CONTINUOUS_AGGREGATE_LEVELS.includes(level) ? continuousAggregateSql(level) : monthsViewSql(level),
    );
  }
  return new Map(files.map(([path, text]) => [path, HEADER + text]));
}

if (import.meta.main) {
  for (const [path, text] of generateRollupSqlFiles()) await writeFile(ROLLUP_SQL_FOLDER + path, text);
}
