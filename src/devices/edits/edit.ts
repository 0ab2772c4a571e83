/**
 * Value of `readings.interval_ms` for a reading that a person entered. Such a reading is sorted before the device's own reading of the same
 * time.
 */
export const MANUAL_READING_INTERVAL_MARKER = -1;

/** Time range `[fromMs, toMs)` of an edit, Unix ms. */
export interface EditTimeRange {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Value of `reading_edits.author` for an edit that the service made because the clock of a host was set back. */
export const CLOCK_STEP_AUTHOR = 'clock';

/** An edit of readings, made by a person or because a clock was set back. */
export interface Edit extends EditTimeRange {
  readonly editId: string;
  /** Channel of the edited series. Null if the edit applies to all series of the device. */
  readonly channel: string | null;
  readonly kind: string | null;
  /**
   * Register value at `fromMs` that a person read, in mWh (for volumes in 0.001 l), or that the service chose after a clock was set back.
   * Null: the edit only excludes readings.
   */
  readonly value: number | null;
  /** Times (Unix ms) of the readings that an edit by the clock excludes. If undefined, the edit excludes all readings in its time range. */
  readonly instants?: ReadonlySet<number>;
  /** Whether the edit is in force. If not, it was revoked. */
  readonly isInForce: boolean;
  /**
   * The part of the time range in which the stored consumption already includes the edit; null if there is none. Ingest applies an edit,
   * and reverts a revoked edit, in chunks from its start on.
   */
  readonly counted: EditTimeRange | null;
}
