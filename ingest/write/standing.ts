import type { Roles } from '#ingest/normalise/channels.ts';
import type { LawSettings } from '#ingest/normalise/law.ts';

/** What stands of a device before a batch, as it was loaded. Nobody changes it: a plan says what stands after. */
export interface StandingDevice {
  readonly deviceId: string;
  readonly userId: string;
  readonly settings: LawSettings;
  /** What its stored consumption was computed with, where the owner has changed the settings since; else null. */
  readonly computedWith: LawSettings | null;
  /** All that it has ever had, by name. */
  readonly series: ReadonlyMap<string, StandingSeries>;
}

/** A series and where its law stands. */
export interface StandingSeries {
  /** Null: it is not stored yet. */
  readonly seriesId: number | null;
  readonly channel: string;
  readonly kind: string;
  readonly roles: Roles;
  /** Time of the latest reading, Unix ms; null before the first. */
  readonly lastReadAtMs: number | null;
  /** State of the law after it; null where nothing of the series counts. */
  readonly tail: unknown;
  /** Readings up to here are closed: retention has dropped what they would change. Null: nothing was dropped. */
  readonly closedUntilMs: number | null;
}

/** What tells the series of a device apart. */
export const seriesName = (channel: string, kind: string): string => `${channel}\n${kind}`;

/** A series before its first reading. */
export const newSeries = (channel: string, kind: string): StandingSeries => ({
  seriesId: null,
  channel,
  kind,
  roles: { import: false, export: false },
  lastReadAtMs: null,
  tail: null,
  closedUntilMs: null,
});
