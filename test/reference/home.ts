/**
 * A slow computation of a home's usage, for each quarter-hour and device, written from the text of the rules. It is independent of
 * src/energy/home, which it checks.
 */

export type ReferencePlacement = 'grid' | 'production' | 'storage' | 'consumption' | 'excluded';

/** Known energy of a device in a quarter-hour, in mWh, and the time (ms) for which each direction is known. */
interface ReferenceQuarterHour {
  import: number;
  export: number;
  estimated: number;
  /** Estimated part of the exported energy, mWh. */
  exportEstimated: number;
  importMs: number;
  exportMs: number;
}

export interface ReferenceDevice {
  id: string;
  /** If this entry contains channels of a device that have their own placement: id of the device. */
  partOf?: string;
  placement: ReferencePlacement;
  upstream: string | null;
  /** Values by the start of the quarter-hour, Unix ms. */
  quarters: Map<number, ReferenceQuarterHour>;
  /** Time of the device's deletion, Unix ms; null if it still exists. */
  deletedAtMs: number | null;
  channels: { import: number; export: number };
  /** Number of channels per direction that contributed to the totals only until `untilMs` (Unix ms), in addition to `channels`. */
  earlier?: { untilMs: number; import: number; export: number };
}

const QUARTER_HOUR_MS = 900_000;

/**
 * Returns the time (ms) that would be known in a quarter-hour if no channel of this direction had a gap, summed over the device's channels.
 */
function due({ channels, earlier }: ReferenceDevice, at: number, of: 'import' | 'export'): number {
  const before = earlier ? Math.min(Math.max(earlier.untilMs - at, 0), QUARTER_HOUR_MS) * earlier[of] : 0;
  return channels[of] * QUARTER_HOUR_MS + before;
}

function isBehind(
  device: ReferenceDevice,
  all: readonly ReferenceDevice[],
  isThere: (device: ReferenceDevice) => boolean,
): boolean {
  for (let up = all.find(({ id }) => id === device.upstream); up; up = all.find(({ id }) => id === up?.upstream)) {
    if (up.placement === 'consumption' && isThere(up)) return true;
    if (up.placement !== 'consumption' && up.placement !== 'excluded') return false;
  }
  return false;
}

/** Values of a bucket in mWh; null if a value is unknown. */
export interface ReferenceBucket {
  used: number | null;
  grid_import: number | null;
  grid_export: number | null;
  production: number | null;
  charged: number | null;
  discharged: number | null;
  consumption: number | null;
  untracked: number | null;
  self_consumed: number | null;
  autarky: number | null;
  estimated: number | null;
  coverage: number | null;
  complete: boolean | null;
}

/** Returns a function that computes the usage of a set of quarter-hours as one bucket, from the whole history of the home. */
export function createReferenceHomeCalculator(
  devices: readonly ReferenceDevice[],
): (quarters: readonly number[]) => ReferenceBucket {
  const tally = createReferenceHomeSumsCalculator(devices);
  return (quarters) => tally(quarters).answer;
}

/**
 * A home's values in a bucket, and the sums that a group needs. `beside`: usage in mWh in the quarter-hours in which a grid device exists
 * (null: unknown). `besideImport`: import from the grid in mWh. `knownMs`: time for which values are known. `wantedMs`: time for which
 * values should be known.
 */
export interface ReferenceHomeSums {
  answer: ReferenceBucket;
  beside: number | null;
  besideImport: number;
  knownMs: number;
  wantedMs: number;
}

export function createReferenceHomeSumsCalculator(
  devices: readonly ReferenceDevice[],
): (quarters: readonly number[]) => ReferenceHomeSums {
  const whole = (device: ReferenceDevice, of: 'import' | 'export') =>
    [...device.quarters.values()].reduce((sum, quarter) => sum + quarter[of], 0);
  const isExport = new Map(devices.map((device) => [device, whole(device, 'export') >= whole(device, 'import')]));
  // Channels with their own placement exist for as long as their device does.
  const ofOne = Map.groupBy(devices, ({ id, partOf }) => partOf ?? id);
  const begins = new Map(
    [...ofOne].map(([id, channels]) => [id, Math.min(...channels.flatMap(({ quarters: known }) => [...known.keys()]))]),
  );
  const isThere = (device: ReferenceDevice, at: number) =>
    device.channels.import + device.channels.export > 0 &&
    at >= (begins.get(device.partOf ?? device.id) as number) &&
    (device.deletedAtMs === null || at < device.deletedAtMs);
  const ever = (placement: ReferencePlacement) =>
    devices.some(
      (device) =>
        device.placement === placement &&
        device.channels.import + device.channels.export > 0 &&
        Number.isFinite(begins.get(device.partOf ?? device.id)),
    );
  return (quarters) => {
    const total = { gi: 0, ge: 0, p: 0, c: 0, d: 0, consumption: 0 };
    // Sums over the quarter-hours in which a grid device exists.
    const beside = { gi: 0, ge: 0, p: 0, c: 0, d: 0, consumption: 0 };
    let [alone, estimated, unexplained] = [0, 0, 0];
    const knows = { grid: false, production: false, storage: false, consumption: false, alone: false };
    let [knownMs, wantedMs] = [0, 0];
    for (const at of quarters) {
      const there = devices.filter((device) => isThere(device, at));
      const hasGrid = there.some(({ placement }) => placement === 'grid');
      const hasSources = there.some(({ placement }) => placement === 'production' || placement === 'storage');
      const wants = (dueMs: number, ms: number) => {
        wantedMs += dueMs;
        knownMs += ms;
      };
      for (const device of there) {
        const it = device.quarters.get(at) ?? {
          import: 0,
          export: 0,
          estimated: 0,
          exportEstimated: 0,
          importMs: 0,
          exportMs: 0,
        };
        const [dueIn, dueOut] = [due(device, at, 'import'), due(device, at, 'export')];
        const known = it.importMs + it.exportMs > 0;
        const into = hasGrid ? [total, beside] : [total];
        if (device.placement === 'grid') {
          for (const sums of into) {
            sums.gi += it.import;
            if (hasSources || sums === total) sums.ge += it.export;
          }
          if (!hasSources) unexplained += it.export;
          knows.grid ||= known;
          estimated += it.estimated + (hasSources ? it.exportEstimated : 0);
          wants(dueIn, it.importMs);
          if (hasSources) wants(dueOut, it.exportMs);
        } else if (device.placement === 'production') {
          const out = isExport.get(device) === true;
          for (const sums of into) sums.p += out ? it.export : it.import;
          knows.production ||= known;
          if (hasGrid) wants(out ? dueOut : dueIn, out ? it.exportMs : it.importMs);
          if (hasGrid) estimated += out ? it.exportEstimated : it.estimated;
        } else if (device.placement === 'storage') {
          for (const sums of into) {
            sums.c += it.import;
            sums.d += it.export;
          }
          knows.storage ||= known;
          if (hasGrid) wants(dueIn + dueOut, it.importMs + it.exportMs);
          if (hasGrid) estimated += it.estimated + it.exportEstimated;
        } else if (device.placement === 'consumption' && !isBehind(device, devices, (up) => isThere(up, at))) {
          for (const sums of into) sums.consumption += it.import;
          knows.consumption ||= it.importMs > 0;
          if (!hasGrid) {
            alone += it.import;
            estimated += it.estimated;
            knows.alone ||= it.importMs > 0;
            wants(dueIn, it.importMs);
          }
        }
      }
    }
    const balance = beside.gi - beside.ge + beside.p + beside.d - beside.c;
    const bounded = knows.grid ? Math.max(balance, beside.gi - beside.c, 0) : null;
    const used = bounded === null && !knows.alone ? null : (bounded ?? 0) + alone;
    const share = (part: number, of: number) => Math.floor((1000 * part) / of) / 1000;
    const when = (known: boolean, value: number) => (known ? value : null);
    const answer = {
      used,
      grid_import: when(knows.grid, total.gi),
      grid_export: when(knows.grid, total.ge),
      production: when(knows.production, total.p),
      charged: when(knows.storage, total.c),
      discharged: when(knows.storage, total.d),
      consumption: when(knows.consumption && ever('consumption'), total.consumption),
      untracked: bounded === null ? null : bounded - beside.consumption,
      self_consumed: bounded === null || !knows.production ? null : Math.max(0, beside.p - beside.ge),
      autarky: bounded ? share(Math.max(0, bounded - beside.gi), bounded) : null,
      estimated: used === null ? null : Math.min(estimated, used),
      coverage: wantedMs === 0 ? null : Math.min(1, share(knownMs, wantedMs)),
      complete:
        used === null || wantedMs === 0
          ? null
          : knownMs >= wantedMs && unexplained === 0 && (bounded === null || bounded === balance),
    };
    return { answer, beside: bounded, besideImport: total.gi, knownMs, wantedMs };
  };
}
