import type { Placement } from '#src/database/enums.ts';
import { type CountedSpan, sumCountedMs } from './counted-spans.ts';

/** The data of a device on which its home's consumption depends. */
export interface HomeDevice {
  deviceId: string;
  placement: Placement;
  /** The consumption meter that it lies behind; null: none was set. */
  upstreamDeviceId: string | null;
  /** Unix ms: start of the quarter-hour in which its first counted interval begins; null: nothing of it counts yet. */
  beginsAtMs: number | null;
  /** Unix ms: end of the quarter-hour in which it was deleted; null: it was not. */
  endsAtMs: number | null;
  /** Whether a production device's export, over its whole past, is at least its import: then it produces in the direction of export. */
  producesExport: boolean;
  /** Numbers of its counting series by time. Empty if none ever counted. */
  counted: readonly CountedSpan[];
  /** For an entry of channels with a placement of their own: their device. Null: the entry is a device itself. */
  partOf: string | null;
}

/** Role of a device in its home for a stretch of time. `behind`: another consumption meter includes its energy. */
export type HomeRole = Exclude<Placement, 'excluded'> | 'behind' | 'excluded';

/** A time, `[fromMs, toMs)`, in which the roles of a home's devices, and whether it has a grid meter and sources, stay the same. */
export interface HomeStretch {
  /** Unix ms; the first begins at -Infinity, the last ends at Infinity. */
  fromMs: number;
  toMs: number;
  isGridThere: boolean;
  /** Whether a production or storage device exists at that time. */
  hasSources: boolean;
  roles: ReadonlyMap<string, HomeRole>;
}

/** Whether any series ever counted as the device's own. False if all of its channels have a placement of their own. */
export const hasChannels = ({ counted }: HomeDevice): boolean => counted.length > 0;

/** Whether a device exists at an instant: from its first counted interval to its deletion. */
export const isPresentAt = (device: HomeDevice, atMs: number): boolean => {
  const { beginsAtMs, endsAtMs } = device;
  return hasChannels(device) && beginsAtMs !== null && beginsAtMs <= atMs && (endsAtMs === null || atMs < endsAtMs);
};

/**
 * Returns the stretches of a home in order, without gaps. A stretch ends only when a role changes, so there are few. A
 * device that is added later does not change the time before: a plug counts until the meter of its circuit exists, and
 * all plugs count until a grid meter exists. Pure.
 */
export function computeStretches(devices: readonly HomeDevice[]): HomeStretch[] {
  const bounds = devices.flatMap(({ beginsAtMs, endsAtMs }) => [beginsAtMs, endsAtMs]).filter((ms) => ms !== null);
  const starts = [Number.NEGATIVE_INFINITY, ...new Set(bounds.toSorted((a, b) => a - b))];
  const stretches: HomeStretch[] = [];
  for (const [index, fromMs] of starts.entries()) {
    const toMs = starts[index + 1] ?? Number.POSITIVE_INFINITY;
    const stretch = { fromMs, toMs, ...stateAt(devices, fromMs) };
    const last = stretches.at(-1);
    if (last && isSame(last, stretch)) last.toMs = toMs;
    else stretches.push(stretch);
  }
  return stretches;
}

function stateAt(devices: readonly HomeDevice[], atMs: number): Omit<HomeStretch, 'fromMs' | 'toMs'> {
  const there = devices.filter((device) => isPresentAt(device, atMs));
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
 * Whether the device's upstream chain leads to an existing consumption device. The chain passes through excluded devices and through
 * devices that do not exist at the time.
 */
function isBehind(device: HomeDevice, byId: ReadonlyMap<string, HomeDevice>, atMs: number): boolean {
  if (device.placement !== 'consumption') return false;
  // The API rejects a cycle (422), but this loop does not depend on that.
  const passed = new Set([device.deviceId]);
  let above = device.upstreamDeviceId;
  while (above !== null && !passed.has(above)) {
    passed.add(above);
    const up = byId.get(above);
    if (!up || (up.placement !== 'consumption' && up.placement !== 'excluded')) return false;
    if (up.placement === 'consumption' && isPresentAt(up, atMs)) return true;
    above = up.upstreamDeviceId;
  }
  return false;
}

const isSame = (a: HomeStretch, b: HomeStretch): boolean =>
  a.isGridThere === b.isGridThere &&
  a.hasSources === b.hasSources &&
  [...a.roles].every(([id, role]) => b.roles.get(id) === role);

/** Returns the expected time of a device's channels within `[fromMs, toMs)` of a stretch, in ms. */
export type ExpectedChannels = (device: HomeDevice, stretch: HomeStretch, fromMs: number, toMs: number) => number;

/**
 * Expected coverage within a bucket, in ms, summed over channels: of `used`, or of other `channels`. A channel is expected while it counts
 * and its device exists. Pure.
 */
export function computeExpectedMs(
  devices: readonly HomeDevice[],
  stretches: readonly HomeStretch[],
  bucket: { fromMs: number; toMs: number },
  channels: ExpectedChannels = countedOf,
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

function countedOf(device: HomeDevice, stretch: HomeStretch, fromMs: number, toMs: number): number {
  const { roles, isGridThere, hasSources } = stretch;
  const { imports, exports } = sumCountedMs(device.counted, fromMs, toMs);
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
