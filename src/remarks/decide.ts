import { type DeviceUsageIncrease, findDevicesWithIncreasedUsage } from './device-uses-more.ts';
import { detectNightLoadIncrease, type NightLoadIncrease } from './night-load.ts';
import { detectMissingProduction, type MissingProduction } from './production-missing.ts';
import { type HomeProfile, QUARTER_HOURS_PER_DAY } from './profile.ts';
import { type ContinuousLoad, detectContinuousLoad } from './stays-on.ts';
import { detectUnusualDay, type UnusualDay } from './unusual-day.ts';

/** A remark: a notice about unusual usage, with its values and the earlier values with which they are compared. */
export type ProfileRemark = ContinuousLoad | NightLoadIncrease | DeviceUsageIncrease | MissingProduction | UnusualDay;

/** Returns the remarks on a home, most urgent first. One cause results in only one remark. */
export function findRemarksOfProfile(profile: HomeProfile): ProfileRemark[] {
  const missing = detectMissingProduction(profile);
  const stays = detectContinuousLoad(profile);
  const devices = findDevicesWithIncreasedUsage(profile);
  const rose = stays || devices.length > 0 ? null : detectNightLoadIncrease(profile);
  const night = rose && stayedOn(profile) ? null : rose;
  const unusual = stays ? null : detectUnusualDay(profile);
  return [missing, stays, ...devices, night, unusual].filter((remark) => remark !== null);
}

/** Whether the remark `ContinuousLoad` applied one or two days ago. Such a load would still raise the night load. */
const stayedOn = (profile: HomeProfile): boolean =>
  [1, 2].some(
    (days) =>
      detectContinuousLoad({ ...profile, used: profile.used.subarray(0, -days * QUARTER_HOURS_PER_DAY) }) !== null,
  );
