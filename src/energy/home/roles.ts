import type { Placement } from '#src/database/enums.ts';
import { type CountedSpan, countedMs } from './counted.ts';

/** A device of a home, as far as the home's consumption depends on it. */
export interface HomeDevice {
  deviceId: string;
  placement: Placement;
  /** The consumption meter that it lies behind; null: none was said. */
  upstreamDeviceId: string | null;
  /** Unix ms: start of the quarter-hour in which its first counted interval begins; null: nothing of it counts yet. */
  beginsAtMs: number | null;
  /** Unix ms: end of the quarter-hour in which it was deleted; null: it was not. */
  endsAtMs: number | null;
  /** Of a production device: more has flowed out of it than in, over its whole past, or as much. */
  producesExport: boolean;
  /** What counts of it, by time; empty: nothing ever did. */
  counted: readonly CountedSpan[];
  /** The device whose energy its own is a part of, where channels of that have a place of their own; null: it is a device itself. */
  partOf: string | null;
}

/** What a device is in its home for a while. `behind`: another consumption meter tells what it used. */
export type HomeRole = Exclude<Placement, 'excluded'> | 'behind' | 'excluded';

/** A time, `[fromMs, toMs)`, in which every device of a home has the same role, and who is there stays the same. */
export interface HomeStretch {
  /** Unix ms; the first begins at -Infinity, the last ends at Infinity. */
  fromMs: number;
  toMs: number;
  isGridThere: boolean;
  /** A production or storage device is there. */
  hasSources: boolean;
  roles: ReadonlyMap<string, HomeRole>;
}

/** Whether anything ever counted as the device's: not where all of its channels have a place of their own. */
export const hasChannels = ({ counted }: HomeDevice): boolean => counted.length > 0;

/** Whether a device is there: from its first counted interval to its deletion. */
export const isThere = (device: HomeDevice, atMs: number): boolean => {
  const { beginsAtMs, endsAtMs } = device;
  return hasChannels(device) && beginsAtMs !== null && beginsAtMs <= atMs && (endsAtMs === null || atMs < endsAtMs);
};

/**
 * The stretches of a home, in order, without gaps: few, since they end only where a role changes. Pure. A device that comes later takes
 * nothing from the time before: a plug counts until the circuit's meter that it lies behind is there, and all plugs until a grid meter is.
 */
export function stretchesOf(devices: readonly HomeDevice[]): HomeStretch[] {
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
  const there = devices.filter((device) => isThere(device, atMs));
  const byId = new Map(devices.map((device) => [device.deviceId, device]));
  return {
    isGridThere: there.some(({ placement }) => placement === 'grid'),
    hasSources: there.some(({ placement }) => placement === 'production' || placement === 'storage'),
    roles: new Map(
      devices.map((device) => [device.deviceId, isBehind(device, byId, atMs) ? 'behind' : device.placement] as const),
    ),
  };
}

/** Up its chain, on through excluded devices and such as are not there, to a consumption device that is. */
function isBehind(device: HomeDevice, byId: ReadonlyMap<string, HomeDevice>, atMs: number): boolean {
  if (device.placement !== 'consumption') return false;
  // A circle cannot be said (422), but nothing here depends on that.
  const passed = new Set([device.deviceId]);
  let above = device.upstreamDeviceId;
  while (above !== null && !passed.has(above)) {
    passed.add(above);
    const up = byId.get(above);
    if (!up || (up.placement !== 'consumption' && up.placement !== 'excluded')) return false;
    if (up.placement === 'consumption' && isThere(up, atMs)) return true;
    above = up.upstreamDeviceId;
  }
  return false;
}

const isSame = (a: HomeStretch, b: HomeStretch): boolean =>
  a.isGridThere === b.isGridThere &&
  a.hasSources === b.hasSources &&
  [...a.roles].every(([id, role]) => b.roles.get(id) === role);

/**
 * How long the channels that count towards `used` should be known within a bucket, in ms, summed over channels: those that count at each time
 * in which their devices are there. Pure.
 */
export function expectedMs(
  devices: readonly HomeDevice[],
  stretches: readonly HomeStretch[],
  bucket: { fromMs: number; toMs: number },
): number {
  let sum = 0;
  for (const stretch of stretches) {
    for (const device of devices) {
      if (device.beginsAtMs === null) continue;
      const from = Math.max(bucket.fromMs, stretch.fromMs, device.beginsAtMs);
      const to = Math.min(bucket.toMs, stretch.toMs, device.endsAtMs ?? Number.POSITIVE_INFINITY);
      if (from < to) sum += countedOf(device, stretch, from, to);
    }
  }
  return sum;
}

function countedOf(device: HomeDevice, stretch: HomeStretch, fromMs: number, toMs: number): number {
  const { roles, isGridThere, hasSources } = stretch;
  const { imports, exports } = countedMs(device.counted, fromMs, toMs);
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
