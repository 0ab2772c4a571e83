import { parseChannel } from '#src/devices/channel-name.ts';
import { intervalLaw } from './intervals.ts';
import type { Law, SettingsByTime } from './law.ts';
import { powerLaw } from './power.ts';
import { RegisterLaw } from './registers.ts';
import type { Roles } from './roles-by-time.ts';

/** All that decides about a law: channel, kind, roles and settings. */
type Key = readonly [string, string, boolean, boolean, number, number | null, number];

/** Laws that were asked for last: nearly all devices follow a few, and a law is a dozen functions to make. */
const MADE = 16;
const made: { key: Key; law: Law<unknown> | null }[] = [];
let oldest = 0;

/** The law that a series of this channel and kind follows in these roles; null where nothing of it counts. */
export function lawOfSeries(
  channel: string,
  kind: string,
  roles: Roles,
  settings: SettingsByTime,
): Law<unknown> | null {
  if (!roles.import && !roles.export) return null;
  // While a changed setting is worked in, and where another number is read since a time: one that is used once.
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
  // Its owner may say another direction than its name: its role is what holds.
  const direction = roles.export ? 'export' : 'import';
  if (kind === 'register') return new RegisterLaw(settings, direction);
  if (kind === 'interval') return intervalLaw(direction);
  return null;
}
