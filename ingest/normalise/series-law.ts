import { parseChannel } from '#src/devices/channel-name.ts';
import { intervalLaw } from './intervals.ts';
import type { Law, SettingsByTime } from './law.ts';
import { powerLaw } from './power.ts';
import { RegisterLaw } from './registers.ts';
import type { Roles } from './roles-by-time.ts';

/** Everything that determines a law: channel, kind, roles and settings. */
type Key = readonly [string, string, boolean, boolean, number, number | null, number];

/** Size of the cache of laws. Nearly all devices share a few laws, and creating one creates a dozen functions. */
const MADE = 16;
const made: { key: Key; law: Law<unknown> | null }[] = [];
let oldest = 0;

/** Returns the law for a series with this channel and kind in these roles. Null if the series does not count. */
export function lawOfSeries(
  channel: string,
  kind: string,
  roles: Roles,
  settings: SettingsByTime,
): Law<unknown> | null {
  if (!roles.import && !roles.export) return null;
  // Not cached, because laws with changing settings, splits or clock steps are used once.
  if (settings.earlier || settings.splits || settings.stepsBack) return newLaw(channel, kind, roles, settings);
  const { limitKw, registerMaxKwh, maxGapMinutes } = settings;
  for (const { key, law } of made) {
    if (
      key[0] === channel &&
      key[1] === kind &&
      key[2] === roles.import &&
      key[3] === roles.export &&
      key[4] === limitKw &&
      key[5] === registerMaxKwh &&
      key[6] === maxGapMinutes
    )
      return law;
  }
  const law = newLaw(channel, kind, roles, { limitKw, registerMaxKwh, maxGapMinutes });
  made[oldest] = { key: [channel, kind, roles.import, roles.export, limitKw, registerMaxKwh, maxGapMinutes], law };
  oldest = (oldest + 1) % MADE;
  return law;
}

function newLaw(channel: string, kind: string, roles: Roles, settings: SettingsByTime): Law<unknown> | null {
  if (kind === 'power') return powerLaw(settings, { ...roles, channelDirection: parseChannel(channel).direction });
  // The role determines the direction, because the owner may have set another direction than that of the channel's
  // name.
  const direction = roles.export ? 'export' : 'import';
  if (kind === 'register') return new RegisterLaw(settings, direction);
  if (kind === 'interval') return intervalLaw(direction);
  return null;
}
