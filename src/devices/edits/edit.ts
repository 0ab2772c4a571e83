/**
 * `readings.interval_ms` of a reading by hand: its place beside what the device itself tells of the same instant. It sorts before that.
 */
export const READ_BY_HAND = -1;

/** `[fromMs, toMs)`, Unix ms. */
export interface EditedTime {
  readonly fromMs: number;
  readonly toMs: number;
}

/** An edit by hand, as far as the law of consumption needs it. */
export interface Edit extends EditedTime {
  readonly editId: string;
  /** The series that it is about; null: every one of the device. */
  readonly channel: string | null;
  readonly kind: string | null;
  /** What a person read off the register at `fromMs`, mWh (of volume: 0.001 l); null: readings are excluded, nothing is added. */
  readonly value: number | null;
  /** Else it was revoked. */
  readonly isInForce: boolean;
  /**
   * What is stored of the device was computed with this part of it; null: without it. One that is in force is worked in from its start on,
   * and one that was revoked is taken back from there: what is short of either is a state of its own, that of an edit of this time.
   */
  readonly counted: EditedTime | null;
}
