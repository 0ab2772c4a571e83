import type { RegisterDescription } from '#ingest/decoders/registers-of-a-device/register.ts';
import type { ClockStepBack, CountingSettings, SettingsByTime } from '#ingest/normalise/counting-rule.ts';
import { type EarlierRoles, NO_SERIES_ROLES, type SeriesRoles } from '#ingest/normalise/roles-by-time.ts';
import type { ChannelSettings } from '#src/devices/channel-name.ts';
import type { Edit } from '#src/devices/edits/edit.ts';

/**
 * Maximum number of series of a device that is cached; a device with 64 channels has fewer. A device with more series (because MAX_CHANNELS
 * is higher) is written in the partition for backlogged devices, so that it delays few other devices.
 */
export const MAX_SERIES = 512;

/** Stored state of a series' counting rule: the series_id, the time of the last reading, and the counting rule's state after it. */
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
  /** Whether a software update has marked the device for a recomputation and no plan has been made for the device since. */
  readonly isMarkedByUpdate?: boolean;
  /** All series that the device has ever had, by name. */
  readonly series: ReadonlyMap<string, SeriesState>;
  /** The owner's settings of the device's quantities. Omitted in a cached head, because the roles of its series are not chosen again. */
  readonly channelSettings?: ChannelSettings;
  /**
   * Edits by hand: those in force, and revoked ones that are not reverted yet. Omitted in a cached head, because a plan on a cached head
   * contains only readings later than all edited times.
   */
  readonly edits?: readonly Edit[];
  /**
   * End (exclusive, Unix ms) of the time to which the plan applies changed settings and pending edits. Omitted if the plan applies none.
   */
  readonly pieceUntilMs?: number;
}

/** Whether all further readings come after all edited times, so that they can be planned without the edits. */
export function areReadingsAfterEdits(edits: readonly Edit[], states: Iterable<StoredCountingState>): boolean {
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
   * The device's own name of the series. Null for a native series, or one that was stored before names were recorded. Omitted in a cached
   * head.
   */
  readonly nativeName?: string | null;
  /** The unit, if it differs from the usual unit of the kind. Null if unknown. */
  readonly unit?: string | null | undefined;
  /**
   * The announced description of the register, if the series' meaning depends on the device's other registers. `meant`: the channel that
   * the joint classification assigns to the register. Omitted in a cached head.
   */
  readonly described?: RegisterDescription | null | undefined;
  readonly meant?: string | null;
  /**
   * Time of the first reading, Unix ms. If it is null although the series has readings, the time is unknown, and the series counts as
   * always present. Omitted in a cached head.
   */
  readonly firstReadAtMs?: number | null | undefined;
  /**
   * For a register: time of the first reading that is not 0, Unix ms. Null if all readings are 0. Omitted in a cached head if a reading is
   * not 0.
   */
  readonly nonzeroAtMs?: number | null | undefined;
  /** Latest roles of the series, which apply after the last of `earlierRoles`. */
  readonly roles: SeriesRoles;
  /** Set in a cached head if the last reading lies before the time from which the latest role applies. */
  readonly isBehind?: boolean;
  /**
   * Roles that applied before some times, in order. Roles differ by time if a better series appeared later, or while a changed role is
   * being applied to the past in chunks. Omitted if the role has never changed, or in a cached head.
   */
  readonly earlierRoles?: readonly EarlierRoles[];
  /**
   * For a tariff register: the time (Unix ms) after which its steps are placed by the current counting rules: after steps of the other
   * tariffs. -Infinity: all steps are. Steps before this time are still placed as by an earlier edition of the rules.
   */
  readonly tariffSinceMs: number;
  /** Time of the latest reading, Unix ms; null if the series has no reading. */
  readonly lastReadAtMs: number | null;
  /** Value of the latest reading, in a cached head. A reading with the same time and value is a duplicate. */
  readonly lastValue?: number | undefined;
  /** State of the counting rule after the latest reading. Null: the series does not count. */
  readonly tail: unknown;
  /**
   * Time up to which new readings are refused, Unix ms, because they would change results of readings that retention has dropped. Null if
   * nothing was dropped.
   */
  readonly closedUntilMs: number | null;
  /**
   * Times (Unix ms, in order) after which the series reads a different counter, because the owner then changed the decoder settings. Each
   * is the time of the last reading before such a change. Omitted if there are none, or in a cached head, because all further readings come
   * after the last of these times.
   */
  readonly splits?: readonly number[];
}

/** Returns the settings by which a series is judged: its device's settings, its own splits, and the steps of the clock. */
export const getSettingsOfSeries = (
  settings: SettingsByTime,
  { splits }: SeriesState,
  stepsBack: readonly ClockStepBack[] = [],
): SettingsByTime =>
  splits || stepsBack.length > 0
    ? { ...settings, ...(splits && { splits }), ...(stepsBack.length > 0 && { stepsBack }) }
    : settings;

/**
 * Whether the series has a reading after its last split (a change of the decoder settings), so that further readings can be planned without
 * the splits.
 */
export const isAfterLastSplit = ({ splits, lastReadAtMs }: SeriesState): boolean =>
  !splits || (lastReadAtMs ?? Number.NEGATIVE_INFINITY) > (splits.at(-1) ?? Number.NEGATIVE_INFINITY);

/** Whether all further readings of the series have its latest role, because their steps end after the time of all earlier roles. */
export const isAfterEarlierRoles = ({ earlierRoles, lastReadAtMs }: SeriesState): boolean =>
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
 * Returns the time up to which readings of a series are refused, Unix ms: retention has closed that time, or the series read another
 * counter in it. -Infinity if no readings are refused.
 */
export const getRefusedUntilMs = ({ closedUntilMs, splits }: SeriesState): number =>
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
export const toStoredSettingsByTime = ({ earlier, ...latest }: SettingsByTime): StoredSettingsByTime => ({
  ...stored(latest),
  ...(earlier && { earlier: earlier.map((one) => ({ ...stored(one), until_ms: one.untilMs })) }),
});

const stored = ({ limitKw, registerMaxKwh, maxGapMinutes }: CountingSettings): StoredSettings => ({
  limit_kw: limitKw,
  register_max_kwh: registerMaxKwh,
  max_gap_minutes: maxGapMinutes,
});
