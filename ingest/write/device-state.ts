import type { RegisterDescription } from '#ingest/decoders/registers-of-a-device/register.ts';
import type { BackwardClockStep, CountingSettings, SettingsByTime } from '#ingest/normalise/counting-rule.ts';
import { NO_SERIES_ROLES, type RolesBeforeTime, type SeriesRoles } from '#ingest/normalise/roles-by-time.ts';
import type { ChannelSettings } from '#src/devices/channel-name.ts';
import type { Edit } from '#src/devices/edits/edit.ts';

/**
 * Maximum number of series for which a device's state is cached; 64 channels have fewer series. A device with more series (if MAX_CHANNELS
 * is higher) is written in the partition for backlogged devices, so that it delays few other devices.
 */
export const MAX_CACHED_SERIES = 512;

/** Stored state of a series' counting rule: the series_id, the time of the last reading, and the rule's state after that reading. */
export type StoredCountingState = readonly [seriesId: number, lastReadAtMs: number, tail: unknown];

/** The state of a device before a batch, as the plan reads it. Immutable: a plan contains the changes. */
export interface DeviceState {
  readonly deviceId: string;
  readonly userId: string;
  readonly settings: CountingSettings;
  /**
   * Settings with which the stored consumption was computed. Set only if the owner has changed settings, meanings or edits, and these
   * changes are not completely applied yet; otherwise null.
   */
  readonly computedWith: SettingsByTime | null;
  /** Whether a software update has marked the device for a recomputation, and no write plan has been made for it since. */
  readonly isMarkedByUpdate?: boolean;
  /** All series that the device has ever had, by name. */
  readonly series: ReadonlyMap<string, SeriesState>;
  /** The owner's settings of the device's quantities. Omitted in a cached head, because no roles are chosen from a cached head. */
  readonly channelSettings?: ChannelSettings;
  /**
   * Edits by hand: those in force, and revoked ones that are not reverted yet. Omitted in a cached head, because a plan on a cached head
   * contains only readings later than all edited times.
   */
  readonly edits?: readonly Edit[];
  /**
   * End (exclusive, Unix ms) of the time in which the plan applies changed settings and pending edits. Omitted if the plan applies none.
   */
  readonly pieceUntilMs?: number;
}

/** Whether each series has a reading after all edited times. Later readings of these series can then be planned without the edits. */
export function areFurtherReadingsAfterEdits(edits: readonly Edit[], states: Iterable<StoredCountingState>): boolean {
  if (edits.length === 0) return true;
  const endMs = Math.max(...edits.map(({ toMs }) => toMs));
  for (const [, lastReadAtMs] of states) if (lastReadAtMs < endMs) return false;
  return true;
}

/** A series, and the state of its counting rule. */
export interface SeriesState {
  /** Id of the stored series; null if the series is not stored yet. */
  readonly seriesId: number | null;
  readonly channel: string;
  readonly kind: string;
  /**
   * The device's own name of the series. Null if the device uses the native format, or if the series was stored before names were recorded.
   * Omitted in a cached head.
   */
  readonly nativeName?: string | null;
  /** The unit, if it differs from the usual unit of the kind. Null if unknown. */
  readonly unit?: string | null | undefined;
  /**
   * The announced description of the register, if the meaning of the series depends on the device's other registers. Omitted in a cached
   * head. `meant`: the channel that the register gets if all registers of the device are classified together.
   */
  readonly described?: RegisterDescription | null | undefined;
  readonly meant?: string | null;
  /**
   * Time of the first reading, Unix ms. If it is null although the series has readings, the time is unknown, and the series counts as
   * always present. Omitted in a cached head.
   */
  readonly firstReadAtMs?: number | null | undefined;
  /**
   * For a register: time of the first reading that is not 0, Unix ms. Null if all readings are 0. Omitted in a cached head unless all
   * readings are 0.
   */
  readonly nonzeroAtMs?: number | null | undefined;
  /** Latest roles of the series, which apply after the last of `earlierRoles`. */
  readonly roles: SeriesRoles;
  /** Set in a cached head if the latest role starts after the last reading. */
  readonly isBehind?: boolean;
  /**
   * Roles before the latest one, in order, each with its end. A role differs by time if a better series appeared later, or while a changed
   * role is being applied to the past in chunks. Omitted if the role has never changed, or in a cached head.
   */
  readonly earlierRoles?: readonly RolesBeforeTime[];
  /**
   * For a tariff register: steps after this time (Unix ms) are placed by the current counting rules, which means after the steps of the
   * other tariffs. Earlier steps are still placed by an earlier edition of the rules. -Infinity: all steps are placed by the current rules.
   */
  readonly tariffSinceMs: number;
  /** Time of the latest reading, Unix ms; null if the series has no reading. */
  readonly lastReadAtMs: number | null;
  /** Value of the latest reading, in a cached head. A reading with the same time and value is a duplicate. */
  readonly lastValue?: number | undefined;
  /** State of the counting rule after the latest reading. Null: the series does not count. */
  readonly tail: unknown;
  /**
   * Readings up to this time (Unix ms) are refused, because they would change the results of readings that retention has dropped. Null if
   * retention has dropped nothing.
   */
  readonly closedUntilMs: number | null;
  /**
   * Times (Unix ms, in order) after which the series reads a different counter, because the owner then changed the decoder settings. Each
   * is the time of the last reading before such a change. Omitted if there are none, or in a cached head, because readings on a cached head
   * come after all these times.
   */
  readonly splits?: readonly number[];
}

/**
 * Returns the settings by which the readings of a series are judged: the settings of its device, the splits of the series (times at which
 * it began to read another counter), and the steps of the clock.
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
 * Whether the series has a reading after its last split (the time at which it began to read another counter). Later readings can then be
 * planned without the splits.
 */
export const hasReadingAfterLastSplit = ({ splits, lastReadAtMs }: SeriesState): boolean =>
  !splits || (lastReadAtMs ?? Number.NEGATIVE_INFINITY) > (splits.at(-1) ?? Number.NEGATIVE_INFINITY);

/** Whether the last reading is after the time of all earlier roles, so that the energy of all later readings has the latest role. */
export const hasReadingAfterEarlierRoles = ({ earlierRoles, lastReadAtMs }: SeriesState): boolean =>
  !earlierRoles || (lastReadAtMs ?? Number.NEGATIVE_INFINITY) >= (earlierRoles.at(-1)?.untilMs ?? 0);

/** Returns the name of a series within its device. */
export const formatSeriesName = (channel: string, kind: string): string => `${channel}\n${kind}`;

/** Attributes of a series that come with its first reading. */
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
 * Returns the time up to which readings of a series are refused, Unix ms: retention has closed the time before, or the series read another
 * counter then. -Infinity if no readings are refused.
 */
export const getReadingsRefusedUntilMs = ({ closedUntilMs, splits }: SeriesState): number =>
  Math.max(closedUntilMs ?? Number.NEGATIVE_INFINITY, splits?.at(-1) ?? Number.NEGATIVE_INFINITY);

/** Columns of the counting rule's settings, as in a row of `devices` and in `computed_with`. */
export interface StoredSettings {
  limit_kw: number;
  register_max_kwh: number | null;
  max_gap_minutes: number;
}

/** The column `devices.computed_with`. */
export interface StoredSettingsByTime extends StoredSettings {
  earlier?: (StoredSettings & { until_ms: number })[];
  /** Set by a migration that changes what counts. Removed by the device's first plan. */
  by_update?: true;
}

/** Reads the counting rule's settings from a device's row. */
export const parseSettings = (row: StoredSettings): CountingSettings => ({
  limitKw: row.limit_kw,
  registerMaxKwh: row.register_max_kwh,
  maxGapMinutes: row.max_gap_minutes,
});

/** Reads `devices.computed_with`. */
export const parseSettingsByTime = ({ earlier, ...latest }: StoredSettingsByTime): SettingsByTime => ({
  ...parseSettings(latest),
  ...(earlier && { earlier: earlier.map((one) => ({ ...parseSettings(one), untilMs: one.until_ms })) }),
});

/** Writes `devices.computed_with`. */
export const createStoredSettingsByTime = ({ earlier, ...latest }: SettingsByTime): StoredSettingsByTime => ({
  ...stored(latest),
  ...(earlier && { earlier: earlier.map((one) => ({ ...stored(one), until_ms: one.untilMs })) }),
});

const stored = ({ limitKw, registerMaxKwh, maxGapMinutes }: CountingSettings): StoredSettings => ({
  limit_kw: limitKw,
  register_max_kwh: registerMaxKwh,
  max_gap_minutes: maxGapMinutes,
});
