import { expectedOf, type Level, levelOf, STORED_LEVELS, storedOf } from '../levels.ts';
import { keysAs, levelBelow, ordinals, peakOf, quoted, somethingKnown, sourceOf, sums } from './pieces.ts';

/** What is the same on every tier. */

const DEVICE_HOURLY = levelOf('device_hourly');

/** A peak is found among the parts of the level beneath; everything else follows from the hours of the load profile directly. */
function expectedView(level: Level): string {
  const below = levelBelow(level);
  const [source, relation] = level.peak ? [below, expectedOf(below)] : [DEVICE_HOURLY, storedOf(DEVICE_HOURLY)];
  const says = `${storedOf(level)} as the load profile says it should be: what \`energy rollups check\` compares with.`;
  return `CREATE OR REPLACE VIEW ${expectedOf(level)} AS
SELECT ${keysAs(level, sourceOf(source))},
${sums()}${peakOf(level)}
FROM ${relation}
GROUP BY ${ordinals(level)}
HAVING ${somethingKnown()};
COMMENT ON VIEW ${expectedOf(level)} IS ${quoted(says)};
`;
}

export const expectedViews = (): string =>
  [
    '-- What the load profile says that each aggregate should hold, on every tier.\n',
    ...STORED_LEVELS.map(expectedView),
  ].join('\n');
