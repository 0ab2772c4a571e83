import type { Placement } from '#src/database/enums.ts';
import { type ContributionSpan, sumExpectedCoverageMs } from './contribution-spans.ts';

/** The data of a device on which its home's consumption depends. */
export interface HomeDevice {
  deviceId: string;
  placement: Placement;
  /** The consumption meter behind which the owner placed the device; null if none was set. */
  upstreamDeviceId: string | null;
  /** Start of the quarter-hour in which the device's first interval with known energy begins, Unix ms. Null if no energy is known yet. */
  beginsAtMs: number | null;
  /** End of the quarter-hour in which the device was deleted, Unix ms. Null if the device was not deleted. */
  endsAtMs: number | null;
  /**
   * Whether the exported energy of a production device, over its whole past, is at least its imported energy. Its export is then its
   * production.
   */
  producesExport: boolean;
  /** Number of series that contribute to the device's energy, by time. Empty if none ever did. */
  counted: readonly ContributionSpan[];
  /**
   * Set for an entry that describes channels with a placement of their own: the id of the device to which they belong. Null: the entry
   * describes a whole device.
   */
  partOf: string | null;
}

/** Role of a device in its home for a stretch of time. `behind`: the energy of another consumption meter includes the device's energy. */
export type DeviceRole = Exclude<Placement, 'excluded'> | 'behind' | 'excluded';

/**
 * A time range `[fromMs, toMs)` in which the roles of a home's devices do not change. It is also constant whether the home has a grid
 * meter, and whether it has a production or storage device.
 */
export interface ConstantRolesRange {
  /** Unix ms; the first stretch begins at -Infinity, the last one ends at Infinity. */
  fromMs: number;
  toMs: number;
  isGridThere: boolean;
  /** Whether a production or storage device exists in the stretch. */
  hasSources: boolean;
  roles: ReadonlyMap<string, DeviceRole>;
}

/** Whether any series ever contributed to the device's own energy. False if all of its channels have a placement of their own. */
export const hasContributingSeries = ({ counted }: HomeDevice): boolean => counted.length > 0;

/** Whether a device exists at an instant: from its first interval with known energy to its deletion. */
export const isDevicePresentAt = (device: HomeDevice, atMs: number): boolean => {
  const { beginsAtMs, endsAtMs } = device;
  return (
    hasContributingSeries(device) && beginsAtMs !== null && beginsAtMs <= atMs && (endsAtMs === null || atMs < endsAtMs)
  );
};

/**
 * Returns the time ranges with constant roles of a home in order, without gaps. A device that is added later does not change earlier
 * ranges: a plug contributes to the home's usage until the meter of its circuit exists, and all plugs do until a grid meter exists. Pure.
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

/**
 * Whether the chain of meters upstream of a device leads to an existing consumption device. The chain passes through excluded devices and
 * through devices that do not exist at the time.
 */
function isBehind(device: HomeDevice, byId: ReadonlyMap<string, HomeDevice>, atMs: number): boolean {
  if (device.placement !== 'consumption') return false;
  // The API rejects a cycle of upstream devices (422). If there is a cycle nevertheless, this set ends the loop.
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

/** Returns the time in ms, within `[fromMs, toMs)` of a stretch with constant roles, for which data of a device's channels are expected. */
export type ExpectedChannelMsFunction = (
  device: HomeDevice,
  stretch: ConstantRolesRange,
  fromMs: number,
  toMs: number,
) => number;

/**
 * Returns the time in ms within a bucket for which data are expected, summed over the channels that contribute to `used`, or over other
 * `channels`. Data of a channel are expected while the channel contributes and its device exists. Pure.
 */
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
