/**
 * `readings.interval_ms` of a reading by hand: its place beside what the device itself tells of the same instant. It sorts before that.
 */
export const READ_BY_HAND = -1;

/** `[fromMs, toMs)`, Unix ms. */
export interface EditedTime {
  readonly fromMs: number;
  readonly toMs: number;
}

/** `reading_edits.author` of an edit that no person made: the clock of a host was set back. */
export const CLOCK = 'clock';

/** An edit by hand or by the clock, as far as the law of consumption needs it. */
export interface Edit extends EditedTime {
  readonly editId: string;
  /** The series that it is about; null: every one of the device. */
  readonly channel: string | null;
  readonly kind: string | null;
  /**
   * What a person read off the register at `fromMs`, mWh (of volume: 0.001 l); of an edit by the clock, what the register showed first in the stretch.
   * Null: readings are excluded, nothing is added.
   */
  readonly value: number | null;
  /**
   * Of an edit by the clock: the readings that are passed over, Unix ms; its time is that over which the clock of a host was set back (of a register from
   * right before it on). Starts of earlier edits by the clock in that time are among them.
   * Left out: every reading of its time.
   */
  readonly instants?: ReadonlySet<number>;
  /** Else it was revoked. */
  readonly isInForce: boolean;
  /**
   * What is stored of the device was computed with this part of it; null: without it. One that is in force is worked in from its start on,
   * and one that was revoked is taken back from there: what is short of either is a state of its own, that of an edit of this time.
   */
  readonly counted: EditedTime | null;
}
