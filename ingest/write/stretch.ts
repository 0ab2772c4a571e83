import type { JudgedPoint } from '#ingest/normalise/law.ts';
import type { EditedTime } from '#src/devices/edits/edit.ts';

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
  /** Those before and beyond are before and from these times (Unix ms), where all that lies between is passed over by hand. */
  readonly backFromMs?: number;
  readonly beyondFromMs?: number;
  /** Steps of a tariff that others depend on, or the first reading that is not 0: it is looked at alone, and nothing of it is replayed. */
  readonly lookFor?: 'steps' | 'nonzero';
}

/** The stretch without what is passed over right before it, and right beyond it: of months of readings there may be millions. */
export function withoutPassedOver(bounds: StretchBounds, passedOver: readonly EditedTime[]): StretchBounds {
  const { firstMs, lastMs } = bounds;
  const before = passedOver.find(({ fromMs, toMs }) => fromMs < firstMs && firstMs <= toMs);
  const beyond = passedOver.find(({ fromMs, toMs }) => fromMs <= lastMs + 1 && lastMs + 1 < toMs);
  return {
    ...bounds,
    ...(before && { backFromMs: before.fromMs }),
    ...(beyond && { beyondFromMs: beyond.toMs }),
  };
}

/** A stretch of a stored series that a plan needs. */
export type WantedStretch = StretchBounds & { readonly seriesId: number };

/** A stretch of a stored series. */
export interface Stretch extends StretchBounds {
  /** The last readings before `firstMs`, in order; of those that are passed over right before it the last alone. */
  readonly before: readonly JudgedPoint[];
  /** The readings from `firstMs` on, in order. */
  readonly points: readonly JudgedPoint[];
  /** Whether nothing is stored before these readings, or beyond them. */
  readonly isFromStart: boolean;
  readonly isToEnd: boolean;
}
