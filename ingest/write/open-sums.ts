import { BUCKET_MS, type Buckets, noSums } from '#ingest/normalise/buckets.ts';
import { MEASURE_NAMES, type Measure, type Sums } from '#src/rollups/levels.ts';
import { HOUR_MS, placeOf } from './open-hour.ts';

const QUARTERS = HOUR_MS / BUCKET_MS;

/** The quarter-hours of an open hour as what an interval can be added to: the same four objects for every device. */
export interface OpenSums extends Buckets {
  /** Begins with nothing in an hour (since 1970; NaN: none is open). */
  begin(hour: number): void;
  /** Adds the sums to packed quarter-hours. Answers false, having added nothing, where something lay beyond the hour. */
  addTo(numbers: Float64Array, at: number): boolean;
  /** Whether what was added last tells of energy, or of a time that is known. */
  readonly isChanged: boolean;
}

export function openSums(): OpenSums {
  const quarters = Array.from({ length: QUARTERS }, noSums);
  const beyond = noSums();
  let hourMs = 0;
  let isBeyond = false;
  let isChanged = false;
  /** Bits of the quarter-hours that something was added to. */
  let touched = 0;
  return {
    get isChanged() {
      return isChanged;
    },
    begin(hour) {
      hourMs = hour * HOUR_MS;
      isBeyond = isChanged = false;
      touched = 0;
    },
    get(startMs) {
      const quarter = (startMs - hourMs) / BUCKET_MS;
      if (quarter >= 0 && quarter < QUARTERS) {
        const sums = quarters[quarter] as Sums;
        if ((touched & (1 << quarter)) === 0) clear(sums);
        touched |= 1 << quarter;
        return sums;
      }
      isBeyond = true;
      return beyond;
    },
    // Every quarter-hour has its sums.
    set: () => undefined,
    addTo(numbers, at) {
      if (isBeyond) return false;
      for (let quarter = 0; quarter < QUARTERS; quarter++) {
        if ((touched & (1 << quarter)) === 0) continue;
        const sums = quarters[quarter] as Sums;
        for (let measure = 0; measure < MEASURE_NAMES.length; measure++) {
          const place = at + placeOf(measure, quarter);
          numbers[place] = (numbers[place] as number) + sums[MEASURE_NAMES[measure] as Measure];
        }
        if (sums.energyMilliwattHours !== 0 || sums.coveredMs !== 0) isChanged = true;
      }
      return true;
    },
  };
}

function clear(sums: Sums): void {
  const values: Record<Measure, number> = sums;
  for (const name of MEASURE_NAMES) values[name] = 0;
}
