/**
 * `readings.interval_ms` of a reading by hand: its place beside what the device itself tells of the same instant. It sorts before that.
 */
export const READ_BY_HAND = -1;

/** An edit by hand, as far as the law of consumption needs it. */
export interface Edit {
  /** The series that it is about; null: every one of the device. */
  readonly channel: string | null;
  readonly kind: string | null;
  /** `[fromMs, toMs)`, Unix ms: readings of these times that were sent are passed over. Of a reading by hand its instant alone. */
  readonly fromMs: number;
  readonly toMs: number;
  /** What a person read off the register at `fromMs`, mWh (of volume: 0.001 l); null: readings are excluded, nothing is added. */
  readonly value: number | null;
  readonly isInForce: boolean;
  /** What is stored of the device was computed with it. */
  readonly isCounted: boolean;
}
