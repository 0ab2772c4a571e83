import { BUCKET_MS, type BucketDeltas, type ReadonlyBuckets } from '#ingest/normalise/buckets.ts';
import { MEASURE_NAMES, type Measure, type Sums } from '#src/rollups/levels.ts';

const HOUR_MS = 3_600_000;
const QUARTERS = HOUR_MS / BUCKET_MS;
/** Quarter-hours of all measures. */
const PLACES = MEASURE_NAMES.length * QUARTERS;

/**
 * The latest hour of a device, which its head has in place of the aggregates: hours since 1970, then of each measure its sum,
 * then of each measure its four quarter-hours, with commas. As `device_heads.open`, which src/rollups/sql/open.ts reads: most
 * answers want sums of few measures, so they come first. Null: none is open.
 */
export type OpenHour = string | null;

/** No hour is closed, as by nearly every reading. */
const NONE: ReadonlyBuckets = new Map();

/** What differences do to an open hour, and what they leave for the aggregates. */
export interface Opened {
  open: OpenHour;
  /** Hours that are over, the one that was open among them, where a later one begins. */
  closed: ReadonlyBuckets;
}

/**
 * Adds differences to the hour that is open or, where some of them are later, to the hour of the latest; pure. Everything that
 * is read is the sum of closed and open hours: a difference may go to either, so an hour that comes out of order does no harm.
 */
export function addToOpenHour(before: OpenHour, deltas: BucketDeltas): Opened {
  if (deltas.size === 0) return { open: before, closed: NONE };
  const known = before === null ? null : parsed(before);
  let latest = known?.hour ?? Number.NEGATIVE_INFINITY;
  for (const startMs of deltas.keys()) latest = Math.max(latest, Math.floor(startMs / HOUR_MS));
  let closed = known && known.hour !== latest ? bucketsOf(known) : null;
  const quarters = known?.hour === latest ? known.quarters : new Array(PLACES).fill(0);
  for (const [startMs, delta] of deltas) {
    if (Math.floor(startMs / HOUR_MS) === latest) addTo(quarters, startMs, delta);
    else {
      closed ??= new Map();
      closed.set(startMs, sumOf(closed.get(startMs), delta));
    }
  }
  return { open: quarters.some((value) => value !== 0) ? openHourOf(latest, quarters) : null, closed: closed ?? NONE };
}

const [MINUS, COMMA, ZERO] = [45, 44, 48];
/** Characters of an open hour that is being written: so many numbers in one text would be as many texts in memory. */
const written = Buffer.alloc(20 * (1 + MEASURE_NAMES.length + PLACES));

/** An open hour as it is stored. `hour`: since 1970; `quarters`: of each measure, in their order, its four quarter-hours. */
export function openHourOf(hour: number, quarters: readonly number[]): string {
  let at = writeNumber(hour, 0);
  for (let first = 0; first < PLACES; first += QUARTERS) {
    let sum = 0;
    for (let quarter = 0; quarter < QUARTERS; quarter++) sum += quarters[first + quarter] as number;
    written[at++] = COMMA;
    at = writeNumber(sum, at);
  }
  for (const value of quarters) {
    written[at++] = COMMA;
    at = writeNumber(value, at);
  }
  return written.toString('latin1', 0, at);
}

/** Writes a whole number; answers where it ends. */
function writeNumber(value: number, at: number): number {
  let rest = Math.abs(value);
  let end = at;
  if (value < 0) written[end++] = MINUS;
  for (let size = rest; size >= 10; size = Math.floor(size / 10)) end++;
  for (let place = end; place >= (value < 0 ? at + 1 : at); place--) {
    const tenth = Math.floor(rest / 10);
    written[place] = ZERO + rest - tenth * 10;
    rest = tenth;
  }
  return end + 1;
}

/** The quarter-hours of an open hour of which something is known. */
export const quarterHoursOf = (open: OpenHour): ReadonlyBuckets => (open === null ? NONE : bucketsOf(parsed(open)));

interface Parsed {
  hour: number;
  quarters: number[];
}

/** Character by character, as every reading comes here: without the sums, which follow from the quarter-hours. */
function parsed(open: string): Parsed {
  const quarters = new Array<number>(PLACES).fill(0);
  let hour = 0;
  let [place, value, sign] = [-1 - MEASURE_NAMES.length, 0, 1];
  for (let index = 0; index <= open.length; index++) {
    const code = index < open.length ? open.charCodeAt(index) : COMMA;
    if (code === COMMA) {
      if (place >= 0) quarters[place] = sign * value;
      else if (place === -1 - MEASURE_NAMES.length) hour = value;
      place++;
      value = 0;
      sign = 1;
    } else if (code === MINUS) sign = -1;
    else value = value * 10 + (code - ZERO);
  }
  return { hour, quarters };
}

/** Place of a measure's quarter-hour among all of them. */
const placeOf = (measure: number, quarter: number): number => measure * QUARTERS + quarter;

function addTo(quarters: number[], startMs: number, delta: Sums): void {
  const quarter = (startMs % HOUR_MS) / BUCKET_MS;
  for (let measure = 0; measure < MEASURE_NAMES.length; measure++) {
    const place = placeOf(measure, quarter);
    quarters[place] = (quarters[place] as number) + delta[MEASURE_NAMES[measure] as Measure];
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
