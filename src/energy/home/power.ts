import { type ConstantRolesRange, type HomeDevice, isDevicePresentAt } from './roles.ts';

/** Power into a device, and out of it, in W, both at least 0. */
export interface DevicePower {
  inWatts: number;
  outWatts: number;
}

/** Power of a home in W, and the devices whose power is unknown. */
interface HomePower {
  watts: number;
  unknown: readonly HomeDevice[];
}

/**
 * Returns the power of a home at a moment (Unix ms), by the rules of `kwh_used` (docs/home.md). A device of unknown power adds nothing.
 * Null if the power of all devices, or of all grid devices, is unknown.
 */
export function computeHomePower(
  { devices, stretches }: { devices: readonly HomeDevice[]; stretches: readonly ConstantRolesRange[] },
  atMs: number,
  powerOf: (device: HomeDevice) => DevicePower | null,
): HomePower | null {
  const stretch = stretches.find(({ fromMs, toMs }) => fromMs <= atMs && atMs < toMs);
  if (!stretch) return null;
  const unknown: HomeDevice[] = [];
  let [balance, floor, isKnown] = [0, 0, false];
  for (const device of devices) {
    const role = stretch.roles.get(device.deviceId);
    const shareOf = role && SHARES[role];
    const isCounted = stretch.isGridThere === (role !== 'consumption');
    if (!shareOf || !isCounted || !isDevicePresentAt(device, atMs)) continue;
    const power = powerOf(device);
    if (!power) {
      unknown.push(device);
      continue;
    }
    const share = shareOf(power, { hasSources: stretch.hasSources, producesExport: device.producesExport });
    balance += share.balance;
    floor += share.floor;
    if (role === 'grid' || role === 'consumption') isKnown = true;
  }
  return isKnown ? { watts: Math.max(balance, floor, 0), unknown } : null;
}

/**
 * Factors by which a device's power is multiplied, by its role: once for the balance of the home's energy, and once for the lower bound of
 * this balance. Roles without an entry do not contribute.
 */
const SHARES: Partial<
  Record<
    string,
    (power: DevicePower, of: { hasSources: boolean; producesExport: boolean }) => { balance: number; floor: number }
  >
> = {
  grid: ({ inWatts, outWatts }, { hasSources }) => ({
    balance: hasSources ? inWatts - outWatts : inWatts,
    floor: inWatts,
  }),
  production: ({ inWatts, outWatts }, { producesExport }) => ({
    balance: producesExport ? outWatts : inWatts,
    floor: 0,
  }),
  storage: ({ inWatts, outWatts }) => ({ balance: outWatts - inWatts, floor: -inWatts }),
  consumption: ({ inWatts }) => ({ balance: inWatts, floor: inWatts }),
};
