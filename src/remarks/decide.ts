import { type DeviceUsesMore, devicesUsingMore } from './device-uses-more.ts';
import { type NightRose, nightRose } from './night-load.ts';
import { type ProductionMissing, productionMissing } from './production-missing.ts';
import { DAY_QUARTERS, type Profile } from './profile.ts';
import { type StaysOn, staysOn } from './stays-on.ts';
import { type UnusualDay, unusualDay } from './unusual-day.ts';

/** Something that an owner wants to know: numbers with what they are compared with, never a text. */
export type ProfileRemark = StaysOn | NightRose | DeviceUsesMore | ProductionMissing | UnusualDay;

/**
 * What there is to say of a home, most urgent first. Of one cause one thing is said: a device that uses more is why the night does; what stays on is
 * why the night and the day are as they are.
 */
export function remarksOn(profile: Profile): ProfileRemark[] {
  const missing = productionMissing(profile);
  const stays = staysOn(profile);
  const devices = devicesUsingMore(profile);
  const rose = stays || devices.length > 0 ? null : nightRose(profile);
  const night = rose && stayedOn(profile) ? null : rose;
  const unusual = stays ? null : unusualDay(profile);
  return [missing, stays, ...devices, night, unusual].filter((remark) => remark !== null);
}

/** Whether something stayed on the day or two before: the nights of then are still among those that are looked at. */
const stayedOn = (profile: Profile): boolean =>
  [1, 2].some((days) => staysOn({ ...profile, used: profile.used.subarray(0, -days * DAY_QUARTERS) }) !== null);
