import { expectedOf, type Level, LOAD_PROFILE, STORED_LEVELS, storedOf } from '../levels.ts';
import { applyFunction } from './apply.ts';
import { keysAs, levelBelow, ordinals, peakOf, quoted, sourceOf, sums } from './pieces.ts';

/** What is the same on every tier. */

export const loadProfile =
  (): string => `-- Load profile per device and UTC quarter-hour (a table of sql/schema): the base of every aggregate.

${applyFunction(LOAD_PROFILE)}
`;

/** A peak is found among the parts of the level beneath; everything else follows from the load profile directly. */
function expectedView(level: Level): string {
  const below = levelBelow(level);
  const [source, relation] = level.peak ? [below, expectedOf(below)] : [LOAD_PROFILE, storedOf(LOAD_PROFILE)];
  const says = `${storedOf(level)} as the load profile says it should be: what \`energy rollups check\` compares with.`;
  return `CREATE OR REPLACE VIEW ${expectedOf(level)} AS
SELECT ${keysAs(level, sourceOf(source))},
${sums()}${peakOf(level)}
FROM ${relation}
GROUP BY ${ordinals(level)};
COMMENT ON VIEW ${expectedOf(level)} IS ${quoted(says)};
`;
}

export const expectedViews = (): string =>
  [
    '-- What the load profile says that each aggregate should hold, on every tier.\n',
    ...STORED_LEVELS.map(expectedView),
  ].join('\n');
