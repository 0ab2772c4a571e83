import { listPeriodsOverlappingHour, type Period, type PeriodKind } from './period.ts';

/** Time in ms from the end of a period during which its alerts may still fire (README, Alerts). */
const TOO_LATE_MS = 24 * 3_600_000;

/** Kinds of periods. `AlertRuleArrays.kind` contains indexes into this list. */
export const PERIOD_KINDS: readonly PeriodKind[] = ['hour', 'day', 'month'];

/** Alert rules as typed arrays. The elements with the same index belong to one alert. */
interface AlertRuleArrays {
  /** Kind of each alert's period, as an index into PERIOD_KINDS. */
  kind: Uint8Array;
  /** Time zone of each alert, as an index into the zones of the batch. */
  zone: Uint16Array;
  /** Index of each alert's user in a list of users. The indexes ascend. `ChangedHourArrays.user` uses the same indexes. */
  user: Uint32Array;
}

/** Hours in which a user's consumption changed. `hourMs`: start of the hour, Unix ms. */
interface ChangedHourArrays {
  user: Uint32Array;
  hourMs: Float64Array;
}

/** Periods for which an alert may fire: index of the alert rule, start and end (Unix ms). */
export interface CandidatePeriodArrays {
  rule: Uint32Array;
  startMs: Float64Array;
  endMs: Float64Array;
}

/**
 * Returns, for each alert rule, the periods that contain a changed hour, without duplicates. Omits periods that ended more than a
 * day ago.
 */
export function findCandidatePeriods(
  rules: AlertRuleArrays,
  zones: readonly string[],
  changes: ChangedHourArrays,
  nowMs: number,
): CandidatePeriodArrays {
  const rulesOf = new Map<number, number[]>();
  for (const [index, user] of rules.user.entries()) {
    const known = rulesOf.get(user);
    if (known) known.push(index);
    else rulesOf.set(user, [index]);
  }
  // Many users share few zones and hours, so the periods of each combination of zone and hour are computed once.
  const known = new Map<string, Period[]>();
  const periods = (kind: number, zone: number, hourMs: number): Period[] => {
    const name = `${kind} ${zone} ${hourMs}`;
    let found = known.get(name);
    if (!found) {
      found = listPeriodsOverlappingHour(PERIOD_KINDS[kind] as PeriodKind, zones[zone] as string, hourMs);
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
