import type { Described } from '#ingest/decoders/registers-of-a-device/register.ts';
import type { LawSettings, SettingsByTime, StepBack } from '#ingest/normalise/law.ts';
import { type EarlierRoles, NO_ROLES, type Roles } from '#ingest/normalise/roles-by-time.ts';
import type { OwnersWords } from '#src/devices/channel-name.ts';
import type { Edit } from '#src/devices/edits/edit.ts';

/**
 * Series of a device that are loaded, and remembered, as a whole: 64 channels have fewer. One that has had more (before channels were
 * limited, or where MAX_CHANNELS is higher) is loaded as far as a batch needs it: its cost is its own.
 */
export const MAX_SERIES = 512;

/** What a device has beside the series that were loaded. */
export interface RestOfDevice {
  /** Where the laws of all others stand, as they are stored. */
  readonly laws: readonly StoredLaw[];
  /** How many channels it has in all; null: that was not asked, as the batch has no new one. */
  readonly channels: number | null;
}

/** The law of a series as it is stored: the series_id, the time of the last reading, and the law's state after it. */
export type StoredLaw = readonly [seriesId: number, lastReadAtMs: number, tail: unknown];

/** The state of a device before a batch, as the plan reads it. Immutable: a plan contains the changes. */
export interface DeviceState {
  readonly deviceId: string;
  readonly userId: string;
  readonly settings: LawSettings;
  /**
   * What its stored consumption was computed with, where its owner has changed the settings, its words or edits since, and that is not worked
   * in to the end; else null.
   */
  readonly computedWith: SettingsByTime | null;
  /** An update marked it, and nothing has been planned of it since. */
  readonly isMarkedByUpdate?: boolean;
  /** All that it has ever had, by name; of a device with more than `MAX_SERIES` those alone that a batch is about. */
  readonly series: ReadonlyMap<string, SeriesState>;
  /** What was left where it is of such a device. */
  readonly rest?: RestOfDevice;
  /** What its owner says of its quantities. Left out where it is remembered: then nothing is chosen anew. */
  readonly words?: OwnersWords;
  /**
   * Edits by hand: those in force, and revoked ones that are still counted. Left out where it is remembered: what is planned on that
   * follows all that they concern.
   */
  readonly edits?: readonly Edit[];
  /** What lies before this time of changed settings, and of edits that are open, is worked in with the plan, Unix ms. Left out: nothing is. */
  readonly pieceUntilMs?: number;
}

/** Whether all readings that follow the stored ones lie past all edits: they can be planned without them. */
export function isPastEdits(edits: readonly Edit[], laws: Iterable<StoredLaw>): boolean {
  if (edits.length === 0) return true;
  const endMs = Math.max(...edits.map(({ toMs }) => toMs));
  for (const [, lastReadAtMs] of laws) if (lastReadAtMs < endMs) return false;
  return true;
}

/** A series, and the state of its law. */
export interface SeriesState {
  /** Null: it is not stored yet. */
  readonly seriesId: number | null;
  readonly channel: string;
  readonly kind: string;
  /** How the device calls it; null, and left out where it is remembered: it is native, or from before this was kept. */
  readonly nativeName?: string | null;
  /** Its unit where that is not its kind's: null where nobody knows. */
  readonly unit?: string | null | undefined;
  /** How it was announced, where it is judged with the other registers of its device, and what it is by that. Left out where it is remembered. */
  readonly described?: Described | null | undefined;
  readonly meant?: string | null;
  /** Time of its first reading, Unix ms; null: of one that has readings, it is not known, and was always there. Left out where it is remembered. */
  readonly firstReadAtMs?: number | null | undefined;
  /** Of a register: time of its first reading that is not 0, Unix ms; null: all are. Left out where it is remembered, and there is one. */
  readonly nonzeroAtMs?: number | null | undefined;
  /** What it counts as; with `earlierRoles` from the last of those times on. */
  readonly roles: Roles;
  /** It is remembered, and its last reading lies before something else began to count. */
  readonly isBehind?: boolean;
  /**
   * What it is counted as before some times, in order: something better appeared then, or a changed role is worked in piece by piece. Left out: as from then
   * on; or it is remembered.
   */
  readonly earlierRoles?: readonly EarlierRoles[];
  /**
   * Of a tariff: its steps that end after this time lie after those of the others (Unix ms). -Infinity: all of them; a time: what was
   * stored by then is as the law had it before.
   */
  readonly tariffSinceMs: number;
  /** Time of the latest reading, Unix ms; null before the first. */
  readonly lastReadAtMs: number | null;
  /** Its value, where this is remembered: what comes with the same time and value is known. */
  readonly lastValue?: number | undefined;
  /** State of the law after it; null where nothing of the series counts. */
  readonly tail: unknown;
  /** Readings up to here are closed: retention has dropped what they would change. Null: nothing was dropped. */
  readonly closedUntilMs: number | null;
  /**
   * After these times (Unix ms, in order) another number is read than before, as the owner has changed what reads it. Left out: there are none,
   * or it is remembered: then all readings that follow are of the last.
   */
  readonly splits?: readonly number[];
}

/** What a series is judged by: the settings of its device, its own splits, and the steps of the clock. */
export const settingsOfSeries = (
  settings: SettingsByTime,
  { splits }: SeriesState,
  stepsBack: readonly StepBack[] = [],
): SettingsByTime =>
  splits || stepsBack.length > 0
    ? { ...settings, ...(splits && { splits }), ...(stepsBack.length > 0 && { stepsBack }) }
    : settings;

/** Whether a series has a reading past its last split: readings that follow can be planned without it. */
export const isPastSplits = ({ splits, lastReadAtMs }: SeriesState): boolean =>
  !splits || (lastReadAtMs ?? Number.NEGATIVE_INFINITY) > (splits.at(-1) ?? Number.NEGATIVE_INFINITY);

/** Whether readings that follow have the latest role of the series: their steps end past all of its earlier roles. */
export const isPastRoles = ({ earlierRoles, lastReadAtMs }: SeriesState): boolean =>
  !earlierRoles || (lastReadAtMs ?? Number.NEGATIVE_INFINITY) >= (earlierRoles.at(-1)?.untilMs ?? 0);

/** Name of a series within its device. */
export const seriesName = (channel: string, kind: string): string => `${channel}\n${kind}`;

/** Attributes of a series that come with its first reading. */
interface NewSeries {
  channel: string;
  kind: string;
  native?: string | undefined;
  unit?: string | null | undefined;
  described?: Described | undefined;
}

/** A series before its first reading. */
export const newSeries = ({ channel, kind, native, unit, described }: NewSeries): SeriesState => ({
  seriesId: null,
  channel,
  kind,
  nativeName: native ?? null,
  unit,
  described,
  firstReadAtMs: null,
  nonzeroAtMs: null,
  roles: NO_ROLES,
  tariffSinceMs: Number.NEGATIVE_INFINITY,
  lastReadAtMs: null,
  tail: null,
  closedUntilMs: null,
});

/** Readings of a series up to this time are refused, Unix ms: retention has closed it, or another number was read then. -Infinity: none are. */
export const refusedUntilMs = ({ closedUntilMs, splits }: SeriesState): number =>
  Math.max(closedUntilMs ?? Number.NEGATIVE_INFINITY, splits?.at(-1) ?? Number.NEGATIVE_INFINITY);

/** Settings of the law as `devices` has them, in its row and in `computed_with`. */
export interface StoredSettings {
  limit_kw: number;
  register_max_kwh: number | null;
  max_gap_minutes: number;
}

/** `devices.computed_with`. */
export interface StoredByTime extends StoredSettings {
  earlier?: (StoredSettings & { until_ms: number })[];
  /** Set by a migration that changes what counts, up to the first plan of the device. */
  by_update?: true;
}

/** Reads the settings of a device's row. */
export const settingsOf = (row: StoredSettings): LawSettings => ({
  limitKw: row.limit_kw,
  registerMaxKwh: row.register_max_kwh,
  maxGapMinutes: row.max_gap_minutes,
});

/** Reads `devices.computed_with`. */
export const settingsByTimeOf = ({ earlier, ...latest }: StoredByTime): SettingsByTime => ({
  ...settingsOf(latest),
  ...(earlier && { earlier: earlier.map((one) => ({ ...settingsOf(one), untilMs: one.until_ms })) }),
});

/** Writes `devices.computed_with`. */
export const storedByTime = ({ earlier, ...latest }: SettingsByTime): StoredByTime => ({
  ...stored(latest),
  ...(earlier && { earlier: earlier.map((one) => ({ ...stored(one), until_ms: one.untilMs })) }),
});

const stored = ({ limitKw, registerMaxKwh, maxGapMinutes }: LawSettings): StoredSettings => ({
  limit_kw: limitKw,
  register_max_kwh: registerMaxKwh,
  max_gap_minutes: maxGapMinutes,
});
