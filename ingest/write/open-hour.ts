import { BUCKET_MS, type BucketDeltas } from '#ingest/normalise/buckets.ts';
import { MEASURE_NAMES, type Measure, type Sums } from '#src/rollups/levels.ts';

const HOUR_MS = 3_600_000;
const QUARTERS = HOUR_MS / BUCKET_MS;

/**
 * The latest hour of a device, which its head has in place of the aggregates: hours since 1970, then of each measure its sum,
 * then of each measure its four quarter-hours, with commas. As `device_heads.open`, which src/rollups/sql/open.ts reads: most
 * answers want sums of few measures, so they come first. Null: none is open.
 */
export type OpenHour = string | null;

/** What differences do to an open hour, and what they leave for the aggregates. */
export interface Opened {
  open: OpenHour;
  /** Hours that are over, the one that was open among them, where a later one begins. */
  closed: BucketDeltas;
}

/**
 * Adds differences to the hour that is open or, where some of them are later, to the hour of the latest; pure. Everything that
 * is read is the sum of closed and open hours: a difference may go to either, so an hour that comes out of order does no harm.
 */
export function addToOpenHour(before: OpenHour, deltas: BucketDeltas): Opened {
  if (deltas.size === 0) return { open: before, closed: new Map() };
  const known = before === null ? null : parsed(before);
  let latest = known?.hour ?? Number.NEGATIVE_INFINITY;
  for (const startMs of deltas.keys()) latest = Math.max(latest, Math.floor(startMs / HOUR_MS));
  const closed: BucketDeltas = new Map();
  const quarters = known?.hour === latest ? known.quarters : new Array(MEASURE_NAMES.length * QUARTERS).fill(0);
  if (known && known.hour !== latest) for (const [startMs, sums] of bucketsOf(known)) closed.set(startMs, sums);
  for (const [startMs, delta] of deltas) {
    if (Math.floor(startMs / HOUR_MS) === latest) addTo(quarters, startMs, delta);
    else closed.set(startMs, sumOf(closed.get(startMs), delta));
  }
  return { open: quarters.some((value) => value !== 0) ? openHourOf(latest, quarters) : null, closed };
}

/** An open hour as it is stored. `hour`: since 1970; `quarters`: of each measure, in their order, its four quarter-hours. */
export function openHourOf(hour: number, quarters: readonly number[]): string {
  const sums = MEASURE_NAMES.map((_, measure) => {
    let sum = 0;
    for (let quarter = 0; quarter < QUARTERS; quarter++) sum += quarters[placeOf(measure, quarter)] as number;
    return sum;
  });
  return `${hour},${sums.join(',')},${quarters.join(',')}`;
}

/** The quarter-hours of an open hour of which something is known. */
export const quarterHoursOf = (open: OpenHour): BucketDeltas => (open === null ? new Map() : bucketsOf(parsed(open)));

interface Parsed {
  hour: number;
  quarters: number[];
}

function parsed(open: string): Parsed {
  const numbers = open.split(',').map(Number);
  return { hour: numbers[0] as number, quarters: numbers.slice(1 + MEASURE_NAMES.length) };
}

/** Place of a measure's quarter-hour among all of them. */
const placeOf = (measure: number, quarter: number): number => measure * QUARTERS + quarter;

function addTo(quarters: number[], startMs: number, delta: Sums): void {
  const quarter = (startMs % HOUR_MS) / BUCKET_MS;
  for (const [measure, name] of MEASURE_NAMES.entries()) {
    const place = placeOf(measure, quarter);
    quarters[place] = (quarters[place] as number) + delta[name];
  }
}

function bucketsOf({ hour, quarters }: Parsed): BucketDeltas {
  const found: BucketDeltas = new Map();
  for (let quarter = 0; quarter < QUARTERS; quarter++) {
    const sums = Object.fromEntries(
      MEASURE_NAMES.map((name, measure) => [name, quarters[placeOf(measure, quarter)] as number]),
    ) as unknown as Sums;
    if (MEASURE_NAMES.some((name) => sums[name])) found.set(hour * HOUR_MS + quarter * BUCKET_MS, sums);
  }
  return found;
}

function sumOf(one: Sums | undefined, other: Sums): Sums {
  if (!one) return other;
  const sum: Record<Measure, number> = { ...one };
  for (const name of MEASURE_NAMES) sum[name] += other[name];
  return sum as Sums;
}
