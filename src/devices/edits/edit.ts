/**
 * Value of `readings.interval_ms` for a reading that a person entered. The value distinguishes the reading from the device's own reading of
 * the same instant, and sorts before it.
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
   * the repeated stretch. Null: the edit excludes readings and adds none.
   */
  readonly value: number | null;
  /**
   * Instants (Unix ms) of the readings that an edit by the clock excludes, including the starts of earlier edits by the clock. Such an edit
   * covers the time that the clock shows twice; for a register the edit begins immediately before that time. Without this member, an edit
   * excludes every reading in its time range.
   */
  readonly instants?: ReadonlySet<number>;
  /** Whether the edit is in force, that is, not revoked. */
  readonly isInForce: boolean;
  /**
   * The part of the edit's time range that the stored consumption already takes into account; null if none. Ingest applies an edit that is
   * in force, and reverts a revoked one, from the edit's start on. Meanwhile, the stored consumption equals that of an edit with exactly
   * this part as its range.
   */
  readonly counted: EditTimeRange | null;
}
