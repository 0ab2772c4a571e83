import { type Period, type PeriodKind, periodsOfHour } from './period.ts';

/** A period that ended longer ago than this no longer fires (README, Alerts). */
const TOO_LATE_MS = 24 * 3_600_000;

/** Kinds of periods by their number in `Rules.kind`. */
export const KINDS: readonly PeriodKind[] = ['hour', 'day', 'month'];

/** Alerts, one an index, in typed arrays that go to a thread without being copied. */
export interface Rules {
  /** Index into KINDS. */
  kind: Uint8Array;
  /** Index into the batch's zones. */
  zone: Uint16Array;
  /** Whose they are: any numbers, the same as in `Changes`; in ascending order. */
  user: Uint32Array;
}

/** Hours (their starts, Unix ms, UTC) whose consumption changed. */
export interface Changes {
  user: Uint32Array;
  hourMs: Float64Array;
}

/** Periods that may fire: of which rule, from when to when (Unix ms). */
export interface Candidates {
  rule: Uint32Array;
  startMs: Float64Array;
  endMs: Float64Array;
}

/** What the periods came to, against their rules' thresholds: mWh, or billionths of a currency, which are beyond a double. */
export type Totals =
  | { totalMilliwattHours: Float64Array; thresholdMilliwattHours: Float64Array }
  | { totalBillionths: BigInt64Array; thresholdBillionths: BigInt64Array };

/** Which periods of which rules the changes touch, each once, without those that ended too long ago. Pure. */
export function candidates(rules: Rules, zones: readonly string[], changes: Changes, nowMs: number): Candidates {
  const rulesOf = new Map<number, number[]>();
  for (const [index, user] of rules.user.entries()) {
    const known = rulesOf.get(user);
    if (known) known.push(index);
    else rulesOf.set(user, [index]);
  }
  // Few zones and few hours for many users: each period is looked up once.
  const known = new Map<string, Period[]>();
  const periods = (kind: number, zone: number, hourMs: number): Period[] => {
    const name = `${kind} ${zone} ${hourMs}`;
    let found = known.get(name);
    if (!found) {
      found = periodsOfHour(KINDS[kind] as PeriodKind, zones[zone] as string, hourMs);
      known.set(name, found);
    }
    return found;
  };
  const seen = new Set<string>();
  const result: { rule: number; startMs: number; endMs: number }[] = [];
  for (const [index, user] of changes.user.entries()) {
    for (const rule of rulesOf.get(user) ?? []) {
      const [kind, zone] = [rules.kind[rule] as number, rules.zone[rule] as number];
      for (const { startMs, endMs } of periods(kind, zone, changes.hourMs[index] as number)) {
        const name = `${rule} ${startMs}`;
        if (endMs <= nowMs - TOO_LATE_MS || seen.has(name)) continue;
        seen.add(name);
        result.push({ rule, startMs, endMs });
      }
    }
  }
  return {
    rule: Uint32Array.from(result, ({ rule }) => rule),
    startMs: Float64Array.from(result, ({ startMs }) => startMs),
    endMs: Float64Array.from(result, ({ endMs }) => endMs),
  };
}

/** Indexes of the periods that lie above their thresholds. Pure. */
export const above = (totals: Totals): Uint32Array =>
  'totalBillionths' in totals
    ? greater(totals.totalBillionths, totals.thresholdBillionths)
    : greater(totals.totalMilliwattHours, totals.thresholdMilliwattHours);

function greater<T extends number | bigint>(values: ArrayLike<T>, thresholds: ArrayLike<T>): Uint32Array {
  const found: number[] = [];
  for (let index = 0; index < values.length; index++) {
    if ((values[index] as T) > (thresholds[index] as T)) found.push(index);
  }
  return Uint32Array.from(found);
}
