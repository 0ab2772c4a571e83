import { parseChannel } from '#src/devices/channel-name.ts';
import type { CountingRule, SettingsByTime } from './counting-rule.ts';
import { createIntervalCountingRule } from './intervals.ts';
import { createPowerCountingRule } from './power.ts';
import { RegisterCountingRule } from './registers.ts';
import type { SeriesRoles } from './roles-by-time.ts';

/** The values by which a counting rule is cached: channel, kind, roles and settings. */
type Key = readonly [string, string, boolean, boolean, number, number | null, number];

/**
 * Maximum number of cached counting rules. Nearly all devices share a few rules. A rule has a dozen functions, so a rule for each series
 * would take too much memory.
 */
const MADE = 16;
const made: { key: Key; rule: CountingRule<unknown> | null }[] = [];
let oldest = 0;

/** Returns the counting rule for a series with this channel and kind in these roles. Null if the roles contribute to no total. */
export function selectCountingRule(
  channel: string,
  kind: string,
  roles: SeriesRoles,
  settings: SettingsByTime,
): CountingRule<unknown> | null {
  if (!roles.import && !roles.export) return null;
  // Counting rules whose settings change with time, or that have splits or clock steps, are not cached, because they are used only once.
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
  settings: SettingsByTime,
): CountingRule<unknown> | null {
  if (kind === 'power')
    return createPowerCountingRule(settings, { ...roles, channelDirection: parseChannel(channel).direction });
  // The role determines the direction, because the owner may have set a direction that differs from the one in the channel's name.
  const direction = roles.export ? 'export' : 'import';
  if (kind === 'register') return new RegisterCountingRule(settings, direction);
  if (kind === 'interval') return createIntervalCountingRule(direction);
  return null;
}
