import type { RegisterDescription } from '#ingest/decoders/registers-of-a-device/register.ts';
import type { BackwardClockStep, CountingSettings, CountingSettingsByTime } from '#ingest/normalise/counting-rule.ts';
import { NO_SERIES_ROLES, type SeriesRoles, type SeriesRolesUntilTime } from '#ingest/normalise/roles-by-time.ts';
import type { ChannelSettings } from '#src/devices/channel-name.ts';
import type { Edit } from '#src/devices/edits/edit.ts';

/**
 * A device with more series is not cached, and its messages go to the queue's partition for backlogged devices (devices with many pending
 * readings). A cached record has a lower limit (head-record.ts).
 */
export const MAX_CACHED_SERIES = 512;

export type StoredCountingState = readonly [seriesId: number, lastReadAtMs: number, tail: unknown];

/** The state of a device before a batch. Immutable. */
export interface DeviceState {
  readonly deviceId: string;
  readonly userId: string;
  readonly settings: CountingSettings;
  /** Settings with which the stored consumption was computed. Null if no change by the owner remains to be applied. */
  readonly computedWith: CountingSettingsByTime | null;
  /** Whether a software update requires a recomputation of the device. */
  readonly isMarkedByUpdate?: boolean;
  readonly series: ReadonlyMap<string, SeriesState>;
  /** The owner's settings for the device's quantities. A cached state does not contain them. */
  readonly channelSettings?: ChannelSettings;
  /**
   * The owner's edits of readings, including revoked ones that still have effects. A cached state does not contain them, because it is used
   * only for readings after all edits.
   */
  readonly edits?: readonly Edit[];
  /**
   * End (exclusive, Unix ms) of the time range in which this transaction applies changed settings and edits. Undefined if it applies none.
   */
  readonly pieceUntilMs?: number;
}

/** Whether each series has a reading after all edits. The edits then do not affect later readings. */
export function isEverySeriesPastEdits(edits: readonly Edit[], states: Iterable<StoredCountingState>): boolean {
  if (edits.length === 0) return true;
  const endMs = Math.max(...edits.map(({ toMs }) => toMs));
  for (const [, lastReadAtMs] of states) if (lastReadAtMs < endMs) return false;
  return true;
}

export interface SeriesState {
  readonly seriesId: number | null;
  readonly channel: string;
  readonly kind: string;
  /** The name that the device itself gives to the series. Null if there is none or it is unknown. A cached state does not contain it. */
  readonly nativeName?: string | null;
  /** The unit, if it differs from the usual one of this kind of quantity. Null if unknown. */
  readonly unit?: string | null | undefined;
  /**
   * The register's description, if the device has announced one. `meant`: the channel of the register, determined from all descriptions of
   * the device. A cached state contains neither the description nor `meant`.
   */
  readonly described?: RegisterDescription | null | undefined;
  readonly meant?: string | null;
  /** Time of the first reading, Unix ms. Null if unknown: a series that has readings is then treated as if it had always existed. */
  readonly firstReadAtMs?: number | null | undefined;
  /** Time of a register's first reading that is not 0, Unix ms. Null if all readings are 0. */
  readonly nonzeroAtMs?: number | null | undefined;
  /** The totals to which the series contributes after the end of the last of `earlierRoles`. */
  readonly roles: SeriesRoles;
  /** Set in a cached state if the totals to which the series contributes have changed since the last reading. */
  readonly isBehind?: boolean;
  /**
   * Earlier roles (totals to which the series contributed), each with its end. The roles of a series change if a better series for the same
   * energy appears. They also change temporarily, while a change is being applied to stored readings in chunks.
   */
  readonly earlierRoles?: readonly SeriesRolesUntilTime[];
  /**
   * Unix time in ms from which the current rules distribute the energy of a tariff register over time. Energy before this time was
   * distributed by an earlier version of the service.
   */
  readonly tariffSinceMs: number;
  /** Time of the latest reading, Unix ms; null if there is none. */
  readonly lastReadAtMs: number | null;
  /** Value of the latest reading, set only in a cached state. A repetition of it is a duplicate. */
  readonly lastValue?: number | undefined;
  /** State of the rule that converts readings into energy. Null if the series contributes to no total. */
  readonly tail: unknown;
  /**
   * Readings up to this time (Unix ms) are rejected: the stored readings up to it are already deleted, so their consumption can no longer
   * be recomputed. Null if none are deleted.
   */
  readonly closedUntilMs: number | null;
  /**
   * A change of the decoder settings may make the series measure another counter. For each such change, the time (Unix ms) of the last
   * reading before it.
   */
  readonly splits?: readonly number[];
}

/** Returns the settings with which readings of a series are converted into energy. */
export const getCountingSettingsOfSeries = (
  settings: CountingSettingsByTime,
  { splits }: SeriesState,
  stepsBack: readonly BackwardClockStep[] = [],
): CountingSettingsByTime =>
  splits || stepsBack.length > 0
    ? { ...settings, ...(splits && { splits }), ...(stepsBack.length > 0 && { stepsBack }) }
    : settings;

/** Whether the series has a reading after the last of its `splits`, and thus of its present counter. */
export const hasReadingAfterLastSplit = ({ splits, lastReadAtMs }: SeriesState): boolean =>
  !splits || (lastReadAtMs ?? Number.NEGATIVE_INFINITY) > (splits.at(-1) ?? Number.NEGATIVE_INFINITY);

/** Whether the series has a reading after the end of its last earlier role. All later readings then have its latest role. */
export const hasReadingAfterEarlierRoles = ({ earlierRoles, lastReadAtMs }: SeriesState): boolean =>
  !earlierRoles || (lastReadAtMs ?? Number.NEGATIVE_INFINITY) >= (earlierRoles.at(-1)?.untilMs ?? 0);

export const formatSeriesName = (channel: string, kind: string): string => `${channel}\n${kind}`;

interface NewSeries {
  channel: string;
  kind: string;
  native?: string | undefined;
  unit?: string | null | undefined;
  described?: RegisterDescription | undefined;
}

export const createSeriesState = ({ channel, kind, native, unit, described }: NewSeries): SeriesState => ({
  seriesId: null,
  channel,
  kind,
  nativeName: native ?? null,
  unit,
  described,
  firstReadAtMs: null,
  nonzeroAtMs: null,
  roles: NO_SERIES_ROLES,
  tariffSinceMs: Number.NEGATIVE_INFINITY,
  lastReadAtMs: null,
  tail: null,
  closedUntilMs: null,
});

/** Returns the Unix time in ms up to which readings of a series are rejected. -Infinity if none are. */
export const getReadingRefusalEndMs = ({ closedUntilMs, splits }: SeriesState): number =>
  Math.max(closedUntilMs ?? Number.NEGATIVE_INFINITY, splits?.at(-1) ?? Number.NEGATIVE_INFINITY);

/** Columns with settings that determine how readings are converted into energy. */
export interface StoredCountingSettings {
  limit_kw: number;
  register_max_kwh: number | null;
  max_gap_minutes: number;
}

/** Content of the column `devices.computed_with`: the settings with which the stored consumption was computed. */
export interface StoredCountingSettingsByTime extends StoredCountingSettings {
  earlier?: (StoredCountingSettings & { until_ms: number })[];
  /** Set by a migration that changes past consumption. The first recomputation of the device removes it. */
  by_update?: true;
}

export const parseCountingSettings = (row: StoredCountingSettings): CountingSettings => ({
  limitKw: row.limit_kw,
  registerMaxKwh: row.register_max_kwh,
  maxGapMinutes: row.max_gap_minutes,
});

export const parseCountingSettingsByTime = ({
  earlier,
  ...latest
}: StoredCountingSettingsByTime): CountingSettingsByTime => ({
  ...parseCountingSettings(latest),
  ...(earlier && { earlier: earlier.map((one) => ({ ...parseCountingSettings(one), untilMs: one.until_ms })) }),
});

export const createStoredCountingSettingsByTime = ({
  earlier,
  ...latest
}: CountingSettingsByTime): StoredCountingSettingsByTime => ({
  ...stored(latest),
  ...(earlier && { earlier: earlier.map((one) => ({ ...stored(one), until_ms: one.untilMs })) }),
});

const stored = ({ limitKw, registerMaxKwh, maxGapMinutes }: CountingSettings): StoredCountingSettings => ({
  limit_kw: limitKw,
  register_max_kwh: registerMaxKwh,
  max_gap_minutes: maxGapMinutes,
});
