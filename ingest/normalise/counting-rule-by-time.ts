import type { CountingRule, EnergyInterval } from './counting-rule.ts';
import { replayReadings } from './replay.ts';
import {
  createSeriesRolesLookup,
  getContributionEndMs,
  listSeriesRoleSpans,
  type SeriesRoles,
  type SeriesRolesByTime,
} from './roles-by-time.ts';

/**
 * Creates the rule that converts readings into energy for a series whose role (the totals to which it contributes) changes with time. The
 * role at the end of an interval applies to the whole interval. `ruleOf`: returns the rule for a role; null if the role contributes to no
 * total.
 */
export function createCountingRuleByTime(
  of: SeriesRolesByTime,
  ruleOf: (roles: SeriesRoles) => CountingRule<unknown> | null,
): CountingRule<unknown> {
  const endMs = getContributionEndMs(of);
  const at = createSeriesRolesLookup(of);
  const spans = listSeriesRoleSpans(of).map(({ roles, untilMs }) => ({ rule: ruleOf(roles), untilMs }));
  const some = spans.find(({ rule }) => rule)?.rule ?? null;
  /**
   * Whether the series is a register, whose rule has a fixed direction. A register may report energy late, for a time at which the owner
   * had set the other direction. Import and export of this energy are then exchanged.
   */
  const isRegister = some?.counted !== undefined;
  const counted = (interval: EnergyInterval): EnergyInterval | null => {
    const roles = at(interval.endMs);
    if (!roles.import && !roles.export) return null;
    const { importMilliwattHours: imported, exportMilliwattHours: exported } = interval;
    if (!isRegister || (roles.export ? imported : exported) === 0) return interval;
    return { ...interval, importMilliwattHours: exported, exportMilliwattHours: imported };
  };
  const rule: CountingRule<unknown> = {
    initial: some ? some.initial : null,
    restart(before, later) {
      if ((before.at(-1)?.readAtMs ?? endMs) < endMs) return some ? some.restart(before, later) : null;
      return before.length > 0 ? { taken: before.length, state: null } : null;
    },
    counted(from, judged) {
      const inRole = judged.filter(({ readAtMs }) => readAtMs < endMs);
      if (!some || inRole.length === 0) return [];
      if (!some.counted) return replayReadings(rule, from, inRole).intervals;
      return some.counted(from, inRole).flatMap((interval) => counted(interval) ?? []);
    },
    knows: (state) => some === null || some.knows(state),
    ...(some?.earliestMs && {
      earliestMs: (state: unknown) => (state === null ? Infinity : (some.earliestMs?.(state) ?? Infinity)),
    }),
    step(state, point, findings) {
      if (point.readAtMs >= endMs) return null;
      const now = spans.find(({ untilMs }) => point.readAtMs < untilMs)?.rule ?? some;
      return (now as CountingRule<unknown>).step(state, point, {
        verdict: (judged, verdict) => findings.verdict(judged, verdict),
        takeBack: (sinceMs, untilMs, verdict) => findings.takeBack(sinceMs, untilMs, verdict),
        interval(interval) {
          const energy = counted(interval);
          if (energy) findings.interval(energy);
        },
      });
    },
  };
  return rule;
}
