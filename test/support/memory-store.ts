import type { BucketDeltas } from '#ingest/normalise/buckets.ts';
import {
  type CountingSettings,
  type CountingSettingsByTime,
  type CountingVerdict,
  compareSeriesReadings,
  type SeriesReading,
  type SeriesReadingWithVerdict,
} from '#ingest/normalise/counting-rule.ts';
import { findAppliedRangeOfEdit, findPendingEditStartMs } from '#ingest/normalise/edits.ts';
import { getReadingKey } from '#ingest/normalise/replay.ts';
import { NO_SERIES_ROLES, type SeriesRoles, type SeriesRolesUntilTime } from '#ingest/normalise/roles-by-time.ts';
import { findRangeComputedWithOtherSettings } from '#ingest/normalise/settings.ts';
import type { DeviceDeltas } from '#ingest/write/deltas.ts';
import { type DeviceState, formatSeriesName, type SeriesState } from '#ingest/write/device-state.ts';
import { addToOpenHour, listQuarterHours, type OpenHour } from '#ingest/write/open-hour.ts';
import type { DeviceWritePlan } from '#ingest/write/plan.ts';
import { getTariffRuleStartMs, isSeriesRemovedFromTotals } from '#ingest/write/series-plan.ts';
import type { ReadingStretch, ReadingStretchRequest } from '#ingest/write/stretch.ts';
import type { FirstReadingTimes } from '#ingest/write/target-roles.ts';
import type { ChannelSettings } from '#src/devices/channel-name.ts';
import type { Edit } from '#src/devices/edits/edit.ts';
import { MEASURE_NAMES, type Measure, type MeasureSums } from '#src/rollups/levels.ts';

interface StoredSeries {
  seriesId: number;
  channel: string;
  kind: string;
  roles: SeriesRoles;
  earlierRoles?: readonly SeriesRolesUntilTime[];
  firsts: FirstReadingTimes;
  tariffSinceMs: number;
  lastReadAtMs: number | null;
  /** JSON, like in a database. */
  tail: string | null;
  points: Map<string, SeriesReading>;
  verdicts: Map<string, CountingVerdict>;
  splits?: number[];
}

/** A stored device. Its load profile consists of closed hours and of the open hour, which readings can still extend. */
export interface StoredDevice {
  deviceId: string;
  settings: CountingSettings;
  computedWith: CountingSettingsByTime | null;
  channelSettings: ChannelSettings;
  /** Edits in force, and revoked edits that still affect the stored results because their recomputation is pending. */
  edits: Edit[];
  series: Map<string, StoredSeries>;
  profile: BucketDeltas;
  /** Energy of the device's separate meters (gas, heat or water). */
  meters: NonNullable<DeviceDeltas['meters']>;
  open: OpenHour;
  /** Version number of the device. Each change increases it. */
  version: number;
}

/** In-memory database for tests of the write path: device states, stored readings and write plans (the changes of a batch). */
export interface MemoryStore {
  devices: Map<string, StoredDevice>;
  pair(deviceId: string, settings: CountingSettings): void;
  /** Changes a device's counting settings, as its owner would. */
  set(deviceId: string, settings: CountingSettings): void;
  /** Sets the meaning of a quantity, as the owner would. Null restores the automatic choice. */
  setMeaning(deviceId: string, nativeName: string, countsAs: string | null): void;
  edit(deviceId: string, edit: Omit<Edit, 'editId' | 'isInForce' | 'counted'>): void;
  revoke(deviceId: string, index: number): void;
  /** Changes the decoder settings of the device, as its owner would. This splits each of its series after the last reading. */
  split(deviceId: string): void;
  /** Changes a stored device directly, without the write path. Returns the result of `change`. */
  rewrite<T>(deviceId: string, change: (device: StoredDevice) => T): T;
  /** Returns a copy of the device that cannot be changed: a change throws. */
  load(deviceId: string): { device: DeviceState; version: number };
  stretch(wanted: ReadingStretchRequest): ReadingStretch;
  /** Stores all plans. If a device has changed since its state was loaded, stores none and returns false. */
  commit(plans: readonly { plan: DeviceWritePlan; version: number }[]): boolean;
}

export function createMemoryStore(): MemoryStore {
  const devices = new Map<string, StoredDevice>();
  let edits = 0;
  const series = new Map<number, StoredSeries>();
  /** Loaded states by device and version. They are cached, because tests load devices frequently. */
  const loaded = new Map<string, { device: DeviceState; version: number }>();
  const ordered = new Map<number, SeriesReadingWithVerdict[]>();
  const stored = (deviceId: string) => devices.get(deviceId) as StoredDevice;

  function apply({
    device: { deviceId },
    series: plans,
    deltas,
    pieceUntilMs,
    computedWith,
    areRolesOpen,
  }: DeviceWritePlan): void {
    const device = stored(deviceId);
    device.edits = device.edits
      .map((edit) => ({ ...edit, counted: findAppliedRangeOfEdit(edit, pieceUntilMs) }))
      .filter(({ isInForce, counted }) => isInForce || counted);
    const isComputed =
      !findRangeComputedWithOtherSettings(computedWith, device.settings) &&
      !areRolesOpen &&
      device.edits.every((edit) => findPendingEditStartMs(edit) === null);
    if (device.computedWith !== null || areRolesOpen) device.computedWith = isComputed ? null : computedWith;
    for (const plan of plans) {
      const { series: before, roles, earlierRoles, inserts, lowered, added, withdrawn, verdicts, head } = plan;
      const name = formatSeriesName(before.channel, before.kind);
      if ((before.seriesId === null) === device.series.has(name)) throw new Error(`series ${name} is there, or is not`);
      const one = device.series.get(name) ?? fresh(series.size + 1, before);
      device.series.set(name, one);
      series.set(one.seriesId, one);
      ordered.delete(one.seriesId);
      one.roles = { ...roles };
      // A cached device state contains neither the first readings of a series nor its earlier roles (whether it counted as import or
      // export). A plan that is made with such a state does not contain them either.
      if (plan.firsts.firstReadAtMs !== undefined) {
        one.firsts = { ...plan.firsts };
        delete one.earlierRoles;
        if (earlierRoles) one.earlierRoles = JSON.parse(JSON.stringify(earlierRoles));
      }
      one.tariffSinceMs = getTariffRuleStartMs(plan);
      for (const point of withdrawn) {
        if (!one.points.delete(getReadingKey(point))) throw new Error('nothing is there to be taken away');
      }
      for (const point of [...inserts, ...added]) {
        if (one.points.has(getReadingKey(point))) throw new Error('duplicate key of readings');
      }
      for (const { readAtMs, intervalMs, value } of [...inserts, ...added, ...lowered]) {
        const point = { readAtMs, intervalMs, value };
        one.points.set(getReadingKey(point), point);
      }
      if (isSeriesRemovedFromTotals(plan)) one.verdicts.clear();
      for (const [key, { verdict }] of verdicts ?? []) {
        if (verdict === null) one.verdicts.delete(key);
        else one.verdicts.set(key, verdict);
      }
      if (!head) continue;
      one.lastReadAtMs = head.lastReadAtMs;
      one.tail = head.tail === null ? null : JSON.stringify(head.tail);
    }
    const { open, closed } = addToOpenHour(device.open, deltas.own);
    device.open = open;
    for (const [startMs, delta] of closed) addTo(device.profile, startMs, delta);
    for (const [meter, ofMeter] of deltas.meters ?? []) {
      const profile = device.meters.get(meter) ?? new Map();
      device.meters.set(meter, profile);
      for (const [startMs, delta] of ofMeter) addTo(profile, startMs, delta);
    }
  }

  return {
    devices,
    pair(deviceId, settings) {
      devices.set(deviceId, {
        deviceId,
        settings,
        computedWith: null,
        channelSettings: {},
        edits: [],
        series: new Map(),
        profile: new Map(),
        meters: new Map(),
        open: null,
        version: 1,
      });
    },
    set(deviceId, settings) {
      const device = stored(deviceId);
      device.computedWith ??= device.settings;
      device.settings = settings;
      device.version++;
    },
    setMeaning(deviceId, nativeName, countsAs) {
      const device = stored(deviceId);
      device.computedWith ??= device.settings;
      const { [nativeName]: _, ...others } = device.channelSettings;
      device.channelSettings = countsAs === null ? others : { ...others, [nativeName]: { counts_as: countsAs } };
      device.version++;
    },
    edit(deviceId, edit) {
      const device = stored(deviceId);
      device.computedWith ??= device.settings;
      device.edits = [...device.edits, { ...edit, editId: `edt_${++edits}`, isInForce: true, counted: null }];
      device.version++;
    },
    revoke(deviceId, index) {
      const device = stored(deviceId);
      device.computedWith ??= device.settings;
      device.edits = device.edits
        .map((edit, at) => (at === index ? { ...edit, isInForce: false } : edit))
        .filter(({ isInForce, counted }) => isInForce || counted);
      device.version++;
    },
    split(deviceId) {
      const device = stored(deviceId);
      for (const one of device.series.values()) {
        const { lastReadAtMs } = one;
        if (lastReadAtMs !== null && one.splits?.at(-1) !== lastReadAtMs)
          one.splits = [...(one.splits ?? []), lastReadAtMs];
      }
      device.version++;
    },
    rewrite(deviceId, change) {
      const device = stored(deviceId);
      device.version++;
      for (const { seriesId } of device.series.values()) ordered.delete(seriesId);
      return change(device);
    },
    load(deviceId) {
      const { settings, computedWith, channelSettings, edits, series, version } = stored(deviceId);
      const known = loaded.get(deviceId);
      if (known?.version === version) return known;
      const standing = new Map([...series].map(([name, one]) => [name, standingOf(one)]));
      const changed = { settings, computedWith, channelSettings: { ...channelSettings }, edits: [...edits] };
      const device = frozen({ deviceId, userId: 'usr_1', ...changed, series: standing });
      loaded.set(deviceId, { device, version });
      return { device, version };
    },
    stretch({ seriesId, ...bounds }) {
      const { firstMs, lastMs, back, beyond, backFromMs = firstMs, beyondFromMs = lastMs + 1 } = bounds;
      const all = ordered.get(seriesId) ?? frozen(judgedOf(series.get(seriesId) as StoredSeries));
      ordered.set(seriesId, all);
      const earlier = all.filter(({ readAtMs }) => readAtMs < backFromMs);
      const within = all.filter(({ readAtMs }) => readAtMs >= firstMs && readAtMs <= lastMs);
      const later = all.filter(({ readAtMs }) => readAtMs >= beyondFromMs).slice(0, beyond);
      const passedOver = all.filter(({ readAtMs }) => readAtMs >= backFromMs && readAtMs < firstMs);
      const before = back === 0 ? [] : earlier.slice(-back);
      return {
        ...bounds,
        before: [...before, ...passedOver.slice(-1)],
        points: [...within, ...later],
        isFromStart: firstMs === Number.NEGATIVE_INFINITY || before.length < back,
        isToEnd: lastMs === Number.POSITIVE_INFINITY || later.length < beyond,
      };
    },
    commit(plans) {
      if (plans.some(({ plan, version }) => stored(plan.device.deviceId).version !== version)) return false;
      for (const { plan } of plans) {
        apply(plan);
        stored(plan.device.deviceId).version++;
      }
      return true;
    },
  };
}

const judgedOf = ({ points, verdicts }: StoredSeries): SeriesReadingWithVerdict[] =>
  [...points.values()]
    .sort(compareSeriesReadings)
    .map((point) => ({ ...point, verdict: verdicts.get(getReadingKey(point)) ?? null }));

const fresh = (seriesId: number, { channel, kind }: SeriesState): StoredSeries => ({
  seriesId,
  channel,
  kind,
  roles: NO_SERIES_ROLES,
  firsts: { firstReadAtMs: null, nonzeroAtMs: null },
  tariffSinceMs: Number.NEGATIVE_INFINITY,
  lastReadAtMs: null,
  tail: null,
  points: new Map(),
  verdicts: new Map(),
});

const standingOf = (stored: StoredSeries): SeriesState => {
  const { seriesId, channel, kind, roles, earlierRoles, firsts, tariffSinceMs, lastReadAtMs, tail, splits } = stored;
  return {
    seriesId,
    channel,
    kind,
    roles: { ...roles },
    ...firsts,
    ...(earlierRoles && { earlierRoles: [...earlierRoles] }),
    tariffSinceMs,
    lastReadAtMs,
    tail: tail === null ? null : JSON.parse(tail),
    closedUntilMs: null,
    ...(splits && { splits: [...splits] }),
  };
};

/** Freezes a value with all its contents, and returns it. Its maps throw when they are changed. */
function frozen<T>(value: T): T {
  if (value instanceof Map) {
    for (const one of value.values()) frozen(one);
    const refuse = () => {
      throw new TypeError('what stands is changed by nobody');
    };
    Object.assign(value, { set: refuse, delete: refuse, clear: refuse });
  } else if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    for (const one of Object.values(value)) frozen(one);
    Object.freeze(value);
  }
  return value;
}

/** Returns the complete load profile of a device, including the latest hour. */
export function readWholeLoadProfile({ profile, open }: StoredDevice): BucketDeltas {
  const whole = new Map(profile);
  for (const [startMs, delta] of open ? listQuarterHours(open) : []) addTo(whole, startMs, delta);
  return whole;
}

function addTo(profile: BucketDeltas, startMs: number, delta: MeasureSums): void {
  const sum: Record<Measure, number> = { ...delta };
  const known = profile.get(startMs);
  for (const name of MEASURE_NAMES) sum[name] += known?.[name] ?? 0;
  profile.set(startMs, sum as MeasureSums);
}
