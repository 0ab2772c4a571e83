/**
 * Value of `readings.interval_ms` for a reading that a person entered. It distinguishes this reading from the device's own reading of the
 * same time, which comes after it in the order of readings.
 */
export const MANUAL_READING_INTERVAL_MARKER = -1;

/** Time range `[fromMs, toMs)` of an edit, Unix ms. */
export interface EditTimeRange {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Value of `reading_edits.author` for an edit that the service made because the clock of a host was set back. */
export const CLOCK_STEP_AUTHOR = 'clock';

/** An edit by hand or by the clock, with the fields that the counting rules need. */
export interface Edit extends EditTimeRange {
  readonly editId: string;
  /** Channel of the edited series. Null if the edit applies to all series of the device. */
  readonly channel: string | null;
  readonly kind: string | null;
  /**
   * Value that a person read off the register at `fromMs`, in mWh (for volumes in 0.001 l). In an edit by the clock: the first value of the
   * register in the range of times that the clock shows twice. Null: the edit only excludes readings.
   */
  readonly value: number | null;
  /**
   * Set in an edit by the clock: times (Unix ms) of the readings that it excludes, including the starts of earlier edits by the clock. Such
   * an edit covers the range of times that the clock shows twice; for a register, it begins immediately before. If undefined, the edit
   * excludes all readings in its time range.
   */
  readonly instants?: ReadonlySet<number>;
  /** Whether the edit is in force. If not, it was revoked. */
  readonly isInForce: boolean;
  /**
   * The part of the edit's time range in which the edit is applied to the stored consumption; null if there is none. Ingest applies an edit
   * in force, and reverts a revoked edit, from its start on, in chunks. Until this is complete, the stored consumption is that of an edit
   * with only this part as its time range.
   */
  readonly counted: EditTimeRange | null;
}
