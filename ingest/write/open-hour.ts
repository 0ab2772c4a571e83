import { BUCKET_MS, type BucketDeltas } from '#ingest/normalise/buckets.ts';
import { MEASURE_NAMES, type Measure, type Sums } from '#src/rollups/levels.ts';

const HOUR_MS = 3_600_000;
const QUARTERS = HOUR_MS / BUCKET_MS;

/**
 * The latest hour of a device, which its head has in place of the aggregates: hours since 1970, then of each measure its four
 * quarter-hours, with commas. As `device_heads.open`, which src/rollups/sql/open.ts reads. Null: none is open.
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
  const numbers = before === null ? null : before.split(',').map(Number);
  let latest = numbers?.[0] ?? Number.NEGATIVE_INFINITY;
  for (const startMs of deltas.keys()) latest = Math.max(latest, Math.floor(startMs / HOUR_MS));
  const closed: BucketDeltas = new Map();
  const open = numbers?.[0] === latest ? numbers : [latest, ...new Array(MEASURE_NAMES.length * QUARTERS).fill(0)];
  if (numbers !== open) for (const [startMs, sums] of quarterHoursOf(before)) closed.set(startMs, sums);
  for (const [startMs, delta] of deltas) {
    if (Math.floor(startMs / HOUR_MS) === latest) addTo(open, startMs, delta);
    else closed.set(startMs, sumOf(closed.get(startMs), delta));
  }
  return { open: open.some((value, index) => index > 0 && value !== 0) ? open.join(',') : null, closed };
}

/** Place of a measure's quarter-hour among the numbers. */
const placeOf = (measure: number, quarter: number): number => 1 + measure * QUARTERS + quarter;

function addTo(numbers: number[], startMs: number, delta: Sums): void {
  const quarter = (startMs % HOUR_MS) / BUCKET_MS;
  for (const [measure, name] of MEASURE_NAMES.entries()) {
    const place = placeOf(measure, quarter);
    numbers[place] = (numbers[place] as number) + delta[name];
  }
}

/** The quarter-hours of an open hour of which something is known. */
export function quarterHoursOf(open: OpenHour): BucketDeltas {
  const found: BucketDeltas = new Map();
  const numbers = open?.split(',').map(Number) ?? [];
  for (let quarter = 0; quarter < QUARTERS; quarter++) {
    const sums = Object.fromEntries(
      MEASURE_NAMES.map((name, measure) => [name, numbers[placeOf(measure, quarter)] as number]),
    ) as unknown as Sums;
    if (MEASURE_NAMES.some((name) => sums[name])) {
      found.set((numbers[0] as number) * HOUR_MS + quarter * BUCKET_MS, sums);
    }
  }
  return found;
}

function sumOf(one: Sums | undefined, other: Sums): Sums {
  if (!one) return other;
  const sum: Record<Measure, number> = { ...one };
  for (const name of MEASURE_NAMES) sum[name] += other[name];
  return sum as Sums;
}
