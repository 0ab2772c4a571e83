/**
 * Value of `readings.interval_ms` for a reading by hand. It distinguishes the reading from the device's own reading of the same instant,
 * and sorts before it.
 */
export const READ_BY_HAND_INTERVAL_MS = -1;

/** Time range that an edit covers, `[fromMs, toMs)`, Unix ms. */
export interface EditTimeRange {
  readonly fromMs: number;
  readonly toMs: number;
}

/** `reading_edits.author` of an edit that the service made because the clock of a host was set back. */
export const CLOCK_AUTHOR = 'clock';

/** The fields of an edit, by hand or by the clock, that the counting rules need. */
export interface Edit extends EditTimeRange {
  readonly editId: string;
  /** Channel of the edited series; null: all series of the device. */
  readonly channel: string | null;
  readonly kind: string | null;
  /**
   * Value that a person read off the register at `fromMs`, mWh (volume: 0.001 l). For an edit by the clock: the register's first value in
   * the stretch. Null: the edit excludes readings and adds none.
   */
  readonly value: number | null;
  /**
   * Instants of the readings that an edit by the clock excludes, Unix ms, including the starts of earlier edits by the
   * clock. Such an edit covers the time that the clock shows twice; for a register it begins immediately before.
   * Without this member, the edit excludes every reading in its time range.
   */
  readonly instants?: ReadonlySet<number>;
  /** Whether the edit is in force, that is, not revoked. */
  readonly isInForce: boolean;
  /**
   * Part of the edit's time range with which the stored consumption was computed; null if none. An active edit is
   * applied, and a revoked one reverted, from its start on. In between, the stored consumption is that of an edit with
   * exactly this range.
   */
  readonly counted: EditTimeRange | null;
}
