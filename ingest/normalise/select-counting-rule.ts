import { parseChannel } from '#src/devices/channel-name.ts';
import type { CountingRule, CountingSettingsByTime } from './counting-rule.ts';
import { createIntervalCountingRule } from './intervals.ts';
import { createPowerCountingRule } from './power.ts';
import { RegisterCountingRule } from './registers.ts';
import type { SeriesRoles } from './roles-by-time.ts';

type Key = readonly [string, string, boolean, boolean, number, number | null, number];

/** Maximum number of cached rules. Nearly all devices share a few, and one rule per series would take too much memory. */
const MADE = 16;
const made: { key: Key; rule: CountingRule<unknown> | null }[] = [];
let oldest = 0;

/** Returns the rule that converts readings of this channel and kind into energy. Null if the series contributes to no total. */
export function selectCountingRule(
  channel: string,
  kind: string,
  roles: SeriesRoles,
  settings: CountingSettingsByTime,
): CountingRule<unknown> | null {
  if (!roles.import && !roles.export) return null;
  // Rules with settings that change with time are used only once, so they are not cached.
  if (settings.earlier || settings.splits || settings.stepsBack)
    return createCountingRule(channel, kind, roles, settings);
  const { limitKw, registerMaxKwh, maxGapMinutes } = settings;
  for (const { key, rule } of made) {
    if (
      key[0] === channel &&
      key[1] === kind &&
      key[2] === roles.import &&
      key[3] === roles.export &&
      key[4] === limitKw &&
      key[5] === registerMaxKwh &&
      key[6] === maxGapMinutes
    )
      return rule;
  }
  const rule = createCountingRule(channel, kind, roles, { limitKw, registerMaxKwh, maxGapMinutes });
  made[oldest] = { key: [channel, kind, roles.import, roles.export, limitKw, registerMaxKwh, maxGapMinutes], rule };
  oldest = (oldest + 1) % MADE;
  return rule;
}

function createCountingRule(
  channel: string,
  kind: string,
  roles: SeriesRoles,
  settings: CountingSettingsByTime,
): CountingRule<unknown> | null {
  if (kind === 'power')
    return createPowerCountingRule(settings, { ...roles, channelDirection: parseChannel(channel).direction });
  // The role determines the direction: the owner may have set another direction than the name of the channel says.
  const direction = roles.export ? 'export' : 'import';
  if (kind === 'register') return new RegisterCountingRule(settings, direction);
  if (kind === 'interval') return createIntervalCountingRule(direction);
  return null;
}
