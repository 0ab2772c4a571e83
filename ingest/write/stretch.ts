import type { JudgedPoint } from '#ingest/normalise/law.ts';

/** Bounds of a stretch: the readings from one time to another (Unix ms, both inclusive), and so many around them. */
export interface StretchBounds {
  /** -Infinity: from the first reading. */
  readonly firstMs: number;
  /** Infinity: to the last one. */
  readonly lastMs: number;
  /** Readings before `firstMs`. */
  readonly back: number;
  /** Readings beyond `lastMs`. */
  readonly beyond: number;
  /** It tells of the steps of a tariff that others depend on: nothing of it is replayed. */
  readonly isOfTariff?: boolean;
}

/** A stretch of a stored series that a plan needs. */
export type WantedStretch = StretchBounds & { readonly seriesId: number };

/** A stretch of a stored series. */
export interface Stretch extends StretchBounds {
  /** The last readings before `firstMs`, in order. */
  readonly before: readonly JudgedPoint[];
  /** The readings from `firstMs` on, in order. */
  readonly points: readonly JudgedPoint[];
  /** Whether nothing is stored before these readings, or beyond them. */
  readonly isFromStart: boolean;
  readonly isToEnd: boolean;
}
