import { type DeviceUsesMore, devicesUsingMore } from './device-uses-more.ts';
import { type NightRose, nightRose } from './night-load.ts';
import { type ProductionMissing, productionMissing } from './production-missing.ts';
import { DAY_QUARTERS, type Profile } from './profile.ts';
import { type StaysOn, staysOn } from './stays-on.ts';
import { type UnusualDay, unusualDay } from './unusual-day.ts';

/** A remark about usage for the owner: numbers and what they are compared with, without text. */
export type ProfileRemark = StaysOn | NightRose | DeviceUsesMore | ProductionMissing | UnusualDay;

/**
 * Returns the remarks on a home, most urgent first, with one remark for each cause: a device that uses more explains a higher night load,
 * and something that stays on explains both the night load and an unusual day.
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

/** Whether something stayed on one or two days before. The nights of that time still affect the night load. */
const stayedOn = (profile: Profile): boolean =>
  [1, 2].some((days) => staysOn({ ...profile, used: profile.used.subarray(0, -days * DAY_QUARTERS) }) !== null);
