import {
  type BucketDeltas,
  createZeroSums,
  type QuarterHourBuckets,
  type ReadonlyQuarterHourBuckets,
} from '#ingest/normalise/buckets.ts';
import { HOUR_MS, QUARTER_HOUR_MS } from '#src/core/units.ts';
import { MEASURE_NAMES, type Measure, type MeasureSums } from '#src/rollups/levels.ts';
import { writeInteger } from './statement.ts';

const QUARTER_HOURS = HOUR_MS / QUARTER_HOUR_MS;
export const OPEN_HOUR_VALUE_COUNT = MEASURE_NAMES.length * QUARTER_HOURS;

/**
 * The latest hour of a device. Its energy is part of the device's stored state and not yet of the stored sums. Null if there is none.
 * Immutable.
 */
export type OpenHour = {
  readonly hour: number;
  /** For each measure (in the order of `MEASURE_NAMES`), the values of the four quarter-hours. */
  readonly quarters: readonly number[];
} | null;

const NONE: ReadonlyQuarterHourBuckets = new Map();

/** The latest hour after changes, and the consumption that must now be added to the stored sums. */
export interface OpenHourUpdate {
  open: OpenHour;
  /** Quarter-hours of hours that have ended, because a later hour has begun. */
  closed: ReadonlyQuarterHourBuckets;
}

/**
 * Adds changes to the latest hour of a device. If some changes belong to a later hour, this hour becomes the latest hour. Queries add up
 * the stored sums and the latest hours, so changes may arrive in any order.
 */
export function addToOpenHour(before: OpenHour, deltas: BucketDeltas): OpenHourUpdate {
  if (deltas.size === 0) return { open: before, closed: NONE };
  let latest = before?.hour ?? Number.NEGATIVE_INFINITY;
  for (const startMs of deltas.keys()) latest = Math.max(latest, Math.floor(startMs / HOUR_MS));
  let closed = before && before.hour !== latest ? listQuarterHours(before) : null;
  const quarters = before?.hour === latest ? before.quarters.slice() : new Array<number>(OPEN_HOUR_VALUE_COUNT).fill(0);
  for (const [startMs, delta] of deltas) {
    if (Math.floor(startMs / HOUR_MS) === latest) addTo(quarters, startMs, delta);
    else {
      closed ??= new Map();
      closed.set(startMs, sumOf(closed.get(startMs), delta));
    }
  }
  return { open: quarters.some((value) => value !== 0) ? { hour: latest, quarters } : null, closed: closed ?? NONE };
}

const COMMA = 44;

/**
 * Writes the text of `device_heads.open`: the hour, the sum of each measure, and the four quarter-hours of each measure, separated by
 * commas. Zeros are omitted. Returns the index at which the text ends. `at`: index of the first value in `quarters`.
 */
export function writeOpenHour(
  bytes: Uint8Array,
  hour: number,
  quarters: ArrayLike<number>,
  at: number,
  place: number,
): number {
  let next = writeInteger(bytes, hour, place);
  let end = next;
  for (let first = at; first < at + OPEN_HOUR_VALUE_COUNT; first += QUARTER_HOURS) {
    let sum = 0;
    for (let quarter = 0; quarter < QUARTER_HOURS; quarter++) sum += quarters[first + quarter] as number;
    bytes[next++] = COMMA;
    if (sum !== 0) next = end = writeInteger(bytes, sum, next);
  }
  for (let index = at; index < at + OPEN_HOUR_VALUE_COUNT; index++) {
    bytes[next++] = COMMA;
    if (quarters[index] !== 0) next = end = writeInteger(bytes, quarters[index] as number, next);
  }
  return end;
}

export const MAX_OPEN_HOUR_BYTES = 19 * (1 + MEASURE_NAMES.length + OPEN_HOUR_VALUE_COUNT);

const written = Buffer.alloc(MAX_OPEN_HOUR_BYTES);
export const formatOpenHour = ({ hour, quarters }: NonNullable<OpenHour>): string =>
  written.toString('latin1', 0, writeOpenHour(written, hour, quarters, 0, 0));

/** Reads the text of `device_heads.open`. The sums are skipped, because the quarter-hours determine them. */
export function parseOpenHour(text: string | null): OpenHour {
  if (text === null) return null;
  const [hour = 0, ...numbers] = text.split(',').map(Number);
  const quarters = Array.from(
    { length: OPEN_HOUR_VALUE_COUNT },
    (_, index) => numbers[MEASURE_NAMES.length + index] ?? 0,
  );
  return { hour, quarters };
}

export const getQuarterHourIndex = (measure: number, quarter: number): number => measure * QUARTER_HOURS + quarter;

/** Returns the index (0 to 3) of a quarter-hour within its hour. */
const quarterOf = (startMs: number): number => (startMs % HOUR_MS) / QUARTER_HOUR_MS;

function addTo(quarters: number[], startMs: number, delta: MeasureSums): void {
  const quarter = quarterOf(startMs);
  for (let measure = 0; measure < MEASURE_NAMES.length; measure++) {
    const place = getQuarterHourIndex(measure, quarter);
    quarters[place] = (quarters[place] as number) + delta[MEASURE_NAMES[measure] as Measure];
  }
}

export function listQuarterHours({ hour, quarters }: { hour: number; quarters: ArrayLike<number> }): BucketDeltas {
  const found: BucketDeltas = new Map();
  for (let quarter = 0; quarter < QUARTER_HOURS; quarter++) {
    const sums: Record<Measure, number> = createZeroSums();
    for (let measure = 0; measure < MEASURE_NAMES.length; measure++)
      sums[MEASURE_NAMES[measure] as Measure] = quarters[getQuarterHourIndex(measure, quarter)] as number;
    if (MEASURE_NAMES.some((name) => sums[name]))
      found.set(hour * HOUR_MS + quarter * QUARTER_HOUR_MS, sums as MeasureSums);
  }
  return found;
}

function sumOf(one: MeasureSums | undefined, other: MeasureSums): MeasureSums {
  if (!one) return other;
  const sum: Record<Measure, number> = { ...one };
  for (const name of MEASURE_NAMES) sum[name] += other[name];
  return sum as MeasureSums;
}

/** Number of hours that one reading on the fast path can change: the latest hour and the next hour. */
const HOURS = 2;

/**
 * The quarter-hours of a device's latest hour and of the next hour, to which a reading's energy is added. The same objects are reused for
 * all devices.
 */
export class OpenHourSums implements QuarterHourBuckets {
  readonly #quarters = Array.from({ length: HOURS * QUARTER_HOURS }, createZeroSums);
  readonly #beyond = createZeroSums();
  #hour = Number.NaN;
  /** One bit for each quarter-hour that has changed. */
  #touched = 0;
  /** Whether some energy belongs neither to the latest hour nor to the next hour. */
  isBeyond = false;

  /** Resets the sums. `hour`: number of hours since 1970; NaN if there is no latest hour. */
  begin(hour: number): void {
    this.#hour = hour;
    this.#touched = 0;
    this.isBeyond = false;
  }

  get(startMs: number): MeasureSums {
    const quarter = (startMs - this.#hour * HOUR_MS) / QUARTER_HOUR_MS;
    if (!(quarter >= 0 && quarter < HOURS * QUARTER_HOURS)) {
      this.isBeyond = true;
      return this.#beyond;
    }
    const sums = this.#quarters[quarter] as MeasureSums;
    if ((this.#touched & (1 << quarter)) === 0) clear(sums);
    this.#touched |= 1 << quarter;
    return sums;
  }

  /** Does nothing, because callers change the objects that `get` returns. */
  set(): void {}

  /** Whether one of the measures has changed in the latest hour (0) or the next hour (1). */
  has(hour: 0 | 1, measures: readonly Measure[] = MEASURE_NAMES): boolean {
    for (let quarter = hour * QUARTER_HOURS; quarter < (hour + 1) * QUARTER_HOURS; quarter++) {
      if ((this.#touched & (1 << quarter)) === 0) continue;
      const sums = this.#quarters[quarter] as MeasureSums;
      for (const name of measures) if (sums[name] !== 0) return true;
    }
    return false;
  }

  /** Adds the sums of the latest hour (0) or the next hour (1) to the values from index `at` on. */
  addTo(numbers: Float64Array, at: number, hour: 0 | 1): void {
    for (let quarter = 0; quarter < QUARTER_HOURS; quarter++) {
      const index = hour * QUARTER_HOURS + quarter;
      if ((this.#touched & (1 << index)) === 0) continue;
      const sums = this.#quarters[index] as MeasureSums;
      for (let measure = 0; measure < MEASURE_NAMES.length; measure++) {
        const place = at + getQuarterHourIndex(measure, quarter);
        numbers[place] = (numbers[place] as number) + sums[MEASURE_NAMES[measure] as Measure];
      }
    }
  }
}

/** Returns the quarter-hours with a value other than 0, and resets them to 0. */
export function extractQuarterHours(hour: number, numbers: Float64Array, at: number): ReadonlyQuarterHourBuckets {
  const taken = listQuarterHours({ hour, quarters: numbers.slice(at, at + OPEN_HOUR_VALUE_COUNT) });
  numbers.fill(0, at, at + OPEN_HOUR_VALUE_COUNT);
  return taken;
}

function clear(sums: MeasureSums): void {
  const values: Record<Measure, number> = sums;
  for (const name of MEASURE_NAMES) values[name] = 0;
}
