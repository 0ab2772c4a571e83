import type { Placement } from '#src/database/enums.ts';
import { type ContributionSpan, sumExpectedCoverageMs } from './contribution-spans.ts';

export interface HomeDevice {
  deviceId: string;
  placement: Placement;
  /** The consumption meter that also measures this device, as set by the owner. Null if none is set. */
  upstreamDeviceId: string | null;
  /** Start of the quarter-hour in which the device's known energy begins, Unix ms. Null if none is known. */
  beginsAtMs: number | null;
  /** End of the quarter-hour in which the device was deleted, Unix ms. Null if it was not. */
  endsAtMs: number | null;
  /** Whether a production device has exported at least as much as it has imported. Its export is then its production. */
  producesExport: boolean;
  /** Number of series that contribute to the device's energy, by time. */
  counted: readonly ContributionSpan[];
  /** For channels with another energy flow than their device: the id of the device. Otherwise null. */
  partOf: string | null;
}

/** Role of a device in its home. `behind`: another consumption meter also measures its energy. */
export type DeviceRole = Exclude<Placement, 'excluded'> | 'behind' | 'excluded';

/**
 * A time range in which the roles of a home's devices do not change. The home has a grid meter, production or storage either during the
 * whole range or not at all.
 */
export interface ConstantRolesRange {
  fromMs: number;
  toMs: number;
  isGridThere: boolean;
  /** Whether the home has a production or storage device. */
  hasSources: boolean;
  roles: ReadonlyMap<string, DeviceRole>;
}

/** Whether any series ever contributed to the device's own energy. */
export const hasContributingSeries = ({ counted }: HomeDevice): boolean => counted.length > 0;

/** Whether the device exists at a time: from its first known energy to its deletion. */
export const isDevicePresentAt = (device: HomeDevice, atMs: number): boolean => {
  const { beginsAtMs, endsAtMs } = device;
  return (
    hasContributingSeries(device) && beginsAtMs !== null && beginsAtMs <= atMs && (endsAtMs === null || atMs < endsAtMs)
  );
};

/**
 * Returns the time ranges in which the roles of a home's devices are constant, without gaps. A device that is added later does not change
 * earlier ranges.
 */
export function computeConstantRolesRanges(devices: readonly HomeDevice[]): ConstantRolesRange[] {
  const bounds = devices.flatMap(({ beginsAtMs, endsAtMs }) => [beginsAtMs, endsAtMs]).filter((ms) => ms !== null);
  const starts = [Number.NEGATIVE_INFINITY, ...new Set(bounds.toSorted((a, b) => a - b))];
  const stretches: ConstantRolesRange[] = [];
  for (const [index, fromMs] of starts.entries()) {
    const toMs = starts[index + 1] ?? Number.POSITIVE_INFINITY;
    const stretch = { fromMs, toMs, ...stateAt(devices, fromMs) };
    const last = stretches.at(-1);
    if (last && isSame(last, stretch)) last.toMs = toMs;
    else stretches.push(stretch);
  }
  return stretches;
}

function stateAt(devices: readonly HomeDevice[], atMs: number): Omit<ConstantRolesRange, 'fromMs' | 'toMs'> {
  const there = devices.filter((device) => isDevicePresentAt(device, atMs));
  const byId = new Map(devices.map((device) => [device.deviceId, device]));
  return {
    isGridThere: there.some(({ placement }) => placement === 'grid'),
    hasSources: there.some(({ placement }) => placement === 'production' || placement === 'storage'),
    roles: new Map(
      devices.map((device) => [device.deviceId, isBehind(device, byId, atMs) ? 'behind' : device.placement] as const),
    ),
  };
}

/** Whether another consumption device also measures this one. Excluded devices in between are skipped. */
function isBehind(device: HomeDevice, byId: ReadonlyMap<string, HomeDevice>, atMs: number): boolean {
  if (device.placement !== 'consumption') return false;
  // Ends the loop if devices are upstream of each other in a circle, which the API prevents.
  const passed = new Set([device.deviceId]);
  let above = device.upstreamDeviceId;
  while (above !== null && !passed.has(above)) {
    passed.add(above);
    const up = byId.get(above);
    if (!up || (up.placement !== 'consumption' && up.placement !== 'excluded')) return false;
    if (up.placement === 'consumption' && isDevicePresentAt(up, atMs)) return true;
    above = up.upstreamDeviceId;
  }
  return false;
}

const isSame = (a: ConstantRolesRange, b: ConstantRolesRange): boolean =>
  a.isGridThere === b.isGridThere &&
  a.hasSources === b.hasSources &&
  [...a.roles].every(([id, role]) => b.roles.get(id) === role);

/** Returns the time in ms, within `[fromMs, toMs)`, for which data of a device's channels are expected. */
export type ExpectedChannelMsFunction = (
  device: HomeDevice,
  stretch: ConstantRolesRange,
  fromMs: number,
  toMs: number,
) => number;

/** Returns the time in ms for which data are expected, summed over the channels that contribute to `used` or over `channels`. */
export function computeExpectedCoverageMs(
  devices: readonly HomeDevice[],
  stretches: readonly ConstantRolesRange[],
  bucket: { fromMs: number; toMs: number },
  channels: ExpectedChannelMsFunction = countedOf,
): number {
  let sum = 0;
  for (const stretch of stretches) {
    for (const device of devices) {
      if (device.beginsAtMs === null) continue;
      const from = Math.max(bucket.fromMs, stretch.fromMs, device.beginsAtMs);
      const to = Math.min(bucket.toMs, stretch.toMs, device.endsAtMs ?? Number.POSITIVE_INFINITY);
      if (from < to) sum += channels(device, stretch, from, to);
    }
  }
  return sum;
}

function countedOf(device: HomeDevice, stretch: ConstantRolesRange, fromMs: number, toMs: number): number {
  const { roles, isGridThere, hasSources } = stretch;
  const { imports, exports } = sumExpectedCoverageMs(device.counted, fromMs, toMs);
  switch (roles.get(device.deviceId)) {
    case 'grid':
      return imports + (hasSources ? exports : 0);
    case 'production':
      return isGridThere ? (device.producesExport ? exports : imports) : 0;
    case 'storage':
      return isGridThere ? imports + exports : 0;
    case 'consumption':
      return isGridThere ? 0 : imports;
    default:
      return 0;
  }
}
