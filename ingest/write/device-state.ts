import type { RegisterDescription } from '#ingest/decoders/registers-of-a-device/register.ts';
import type { BackwardClockStep, CountingSettings, SettingsByTime } from '#ingest/normalise/counting-rule.ts';
import { NO_SERIES_ROLES, type RolesUntilTime, type SeriesRoles } from '#ingest/normalise/roles-by-time.ts';
import type { ChannelSettings } from '#src/devices/channel-name.ts';
import type { Edit } from '#src/devices/edits/edit.ts';

/**
 * Maximum number of series for which the state of a device is cached. A device with 64 channels has fewer series. If MAX_CHANNELS is higher
 * and a device has more series, it is written in the partition of the queue for backlogged devices, where it delays few other devices.
 */
export const MAX_CACHED_SERIES = 512;

/** Stored state of a series' counting rule: the series_id, the time of the last reading, and the rule's state after that reading. */
export type StoredCountingState = readonly [seriesId: number, lastReadAtMs: number, tail: unknown];

/** The state of a device before a batch, on which the write plan is based. Immutable: the plan contains the changes. */
export interface DeviceState {
  readonly deviceId: string;
  readonly userId: string;
  readonly settings: CountingSettings;
  /**
   * Settings with which the stored consumption was computed. Null if all changes of settings, meanings and edits by the owner are
   * completely applied.
   */
  readonly computedWith: SettingsByTime | null;
  /** Whether a software update has marked the device for a recomputation, and no plan has been made for the device since then. */
  readonly isMarkedByUpdate?: boolean;
  /** All series that the device has ever had, by name. */
  readonly series: ReadonlyMap<string, SeriesState>;
  /**
   * The owner's settings for the device's quantities. Omitted in a cached head (stored state), because a plan that is based on a cached
   * head does not choose roles.
   */
  readonly channelSettings?: ChannelSettings;
  /**
   * Edits by hand: the edits in force, and the revoked edits that are not yet reverted. Omitted in a cached head (stored state), because a
   * plan that is based on a cached head contains only readings later than all edited times.
   */
  readonly edits?: readonly Edit[];
  /**
   * End (exclusive, Unix ms) of the time range in which the plan applies changed settings and pending edits. Omitted if the plan applies
   * none of them.
   */
  readonly pieceUntilMs?: number;
}

/** Whether each series has a reading after all edited times. If so, the edits do not affect later readings. */
export function areAllSeriesPastEdits(edits: readonly Edit[], states: Iterable<StoredCountingState>): boolean {
  if (edits.length === 0) return true;
  const endMs = Math.max(...edits.map(({ toMs }) => toMs));
  for (const [, lastReadAtMs] of states) if (lastReadAtMs < endMs) return false;
  return true;
}

/** A series of a device, with the state of its counting rule. */
export interface SeriesState {
  readonly seriesId: number | null;
  readonly channel: string;
  readonly kind: string;
  /**
   * The name that the device itself gives to the series. Null if the device uses the native format, or if the series was stored before such
   * names were recorded. Omitted in a cached head (stored state).
   */
  readonly nativeName?: string | null;
  /** The unit, if it differs from the usual unit of this kind of quantity. Null if unknown. */
  readonly unit?: string | null | undefined;
  /**
   * The description that the gateway announced for a register, if the meaning of the register depends on the other registers of the device.
   * `meant`: the channel that the register gets when all registers of the device are classified together. Both are omitted in a cached head
   * (stored state).
   */
  readonly described?: RegisterDescription | null | undefined;
  readonly meant?: string | null;
  /**
   * Time of the first reading, Unix ms. If a series has readings but this time is null, the time is unknown, and the series is treated as
   * if it had always existed. Omitted in a cached head (stored state).
   */
  readonly firstReadAtMs?: number | null | undefined;
  /**
   * For a register: time of the first reading that is not 0, Unix ms. Null if all readings are 0. A cached head (stored state) contains
   * only the value null.
   */
  readonly nonzeroAtMs?: number | null | undefined;
  /** The latest roles of the series: the totals to which its energy contributes after the end of the last of `earlierRoles`. */
  readonly roles: SeriesRoles;
  /** Set in a cached head (stored state) if the last reading is earlier than the start of the latest role. */
  readonly isBehind?: boolean;
  /**
   * The roles before the latest one, in order of time, each with its end. The role changes with time if a better series appeared later, or
   * while a changed role is being applied to the past in chunks. Omitted if the role has never changed, and in a cached head (stored
   * state).
   */
  readonly earlierRoles?: readonly RolesUntilTime[];
  /**
   * For a tariff register: Unix time in ms after which its energy is assigned to quarter-hours by the current counting rules, which take
   * the other tariff registers into account. The energy before this time is still as an earlier edition of the rules stored it. -Infinity:
   * the current rules apply to all of its energy.
   */
  readonly tariffSinceMs: number;
  /** Time of the latest reading, Unix ms; null if the series has no reading. */
  readonly lastReadAtMs: number | null;
  /** Value of the latest reading; only in a cached head (stored state). A reading with the same time and the same value is a duplicate. */
  readonly lastValue?: number | undefined;
  /** State of the counting rule after the latest reading. Null if the series does not contribute to the totals. */
  readonly tail: unknown;
  /**
   * Readings up to this time (Unix ms) are rejected, because they would change results that were computed from readings which retention has
   * deleted. Null if retention has deleted no readings.
   */
  readonly closedUntilMs: number | null;
  /**
   * Times (Unix ms, in order) at which the series began to measure a different counter, because the owner changed the decoder settings.
   * Each value is the time of the last reading before such a change. Omitted if there are none. Also omitted in a cached head (stored
   * state), because a plan that is based on a cached head contains only later readings.
   */
  readonly splits?: readonly number[];
}

/**
 * Returns the settings that the counting rule of a series needs: the settings of its device, the splits of the series (times at which it
 * began to measure another counter), and the steps of the device's clock.
 */
export const getSettingsOfSeries = (
  settings: SettingsByTime,
  { splits }: SeriesState,
  stepsBack: readonly BackwardClockStep[] = [],
): SettingsByTime =>
  splits || stepsBack.length > 0
    ? { ...settings, ...(splits && { splits }), ...(stepsBack.length > 0 && { stepsBack }) }
    : settings;

/**
 * Whether the series has a reading after its last split (the time at which it began to measure another counter). If so, the splits do not
 * affect later readings.
 */
export const hasReadingAfterLastSplit = ({ splits, lastReadAtMs }: SeriesState): boolean =>
  !splits || (lastReadAtMs ?? Number.NEGATIVE_INFINITY) > (splits.at(-1) ?? Number.NEGATIVE_INFINITY);

/** Whether the last reading is later than all earlier roles, so that the energy of each later reading gets the latest role. */
export const hasReadingAfterEarlierRoles = ({ earlierRoles, lastReadAtMs }: SeriesState): boolean =>
  !earlierRoles || (lastReadAtMs ?? Number.NEGATIVE_INFINITY) >= (earlierRoles.at(-1)?.untilMs ?? 0);

/** Returns the name of a series, which is unique within its device. */
export const formatSeriesName = (channel: string, kind: string): string => `${channel}\n${kind}`;

/** Attributes of a series that are known from its first reading. */
interface NewSeries {
  channel: string;
  kind: string;
  native?: string | undefined;
  unit?: string | null | undefined;
  described?: RegisterDescription | undefined;
}

/** Creates the state of a series before its first reading. */
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

/**
 * Returns the Unix time in ms up to which readings of a series are rejected, because retention has closed the time before, or the series
 * measured another counter then. -Infinity if no readings are rejected.
 */
export const getReadingRefusalEndMs = ({ closedUntilMs, splits }: SeriesState): number =>
  Math.max(closedUntilMs ?? Number.NEGATIVE_INFINITY, splits?.at(-1) ?? Number.NEGATIVE_INFINITY);

/** The columns that contain settings of the counting rules, in a row of `devices` and in `devices.computed_with`. */
export interface StoredSettings {
  limit_kw: number;
  register_max_kwh: number | null;
  max_gap_minutes: number;
}

/** Content of the column `devices.computed_with`: the settings with which the stored consumption is computed. */
export interface StoredSettingsByTime extends StoredSettings {
  earlier?: (StoredSettings & { until_ms: number })[];
  /** Set by a migration that changes which energy contributes to the totals. The first plan for the device removes it. */
  by_update?: true;
}

/** Reads the counting rule's settings from a device's row. */
export const parseSettings = (row: StoredSettings): CountingSettings => ({
  limitKw: row.limit_kw,
  registerMaxKwh: row.register_max_kwh,
  maxGapMinutes: row.max_gap_minutes,
});

/** Parses the content of the column `devices.computed_with`. */
export const parseSettingsByTime = ({ earlier, ...latest }: StoredSettingsByTime): SettingsByTime => ({
  ...parseSettings(latest),
  ...(earlier && { earlier: earlier.map((one) => ({ ...parseSettings(one), untilMs: one.until_ms })) }),
});

/** Creates the content of the column `devices.computed_with`. */
export const createStoredSettingsByTime = ({ earlier, ...latest }: SettingsByTime): StoredSettingsByTime => ({
  ...stored(latest),
  ...(earlier && { earlier: earlier.map((one) => ({ ...stored(one), until_ms: one.untilMs })) }),
});

const stored = ({ limitKw, registerMaxKwh, maxGapMinutes }: CountingSettings): StoredSettings => ({
  limit_kw: limitKw,
  register_max_kwh: registerMaxKwh,
  max_gap_minutes: maxGapMinutes,
});
