import type { EnergyInterval, Law } from './law.ts';
import { replayLaw } from './replay.ts';
import { countsUntilMs, type Roles, type RolesByTime, rolesAt, toRoleSpans } from './roles-by-time.ts';

/**
 * Creates the law of a series whose role changes with time. The verdict on a reading does not depend on its role, so
 * one law continues through times in which the series does not count, up to the end of the last time in which it does.
 * After that the law receives no readings, and its state is null. An interval counts by the role at its end. `lawOf`:
 * returns the law of a role; null if the role does not count.
 */
export function createLawForRoles(of: RolesByTime, lawOf: (roles: Roles) => Law<unknown> | null): Law<unknown> {
  const endMs = countsUntilMs(of);
  const at = rolesAt(of);
  const spans = toRoleSpans(of).map(({ roles, untilMs }) => ({ law: lawOf(roles), untilMs }));
  const some = spans.find(({ law }) => law)?.law ?? null;
  /**
   * A register's law has a fixed direction, but energy that it counts later may belong to a time with another
   * direction.
   */
  const isRegister = some?.counted !== undefined;
  const counted = (interval: EnergyInterval): EnergyInterval | null => {
    const roles = at(interval.endMs);
    if (!roles.import && !roles.export) return null;
    const { importMilliwattHours: imported, exportMilliwattHours: exported } = interval;
    if (!isRegister || (roles.export ? imported : exported) === 0) return interval;
    return { ...interval, importMilliwattHours: exported, exportMilliwattHours: imported };
  };
  const law: Law<unknown> = {
    initial: some ? some.initial : null,
    restart(before, later) {
      if ((before.at(-1)?.readAtMs ?? endMs) < endMs) return some ? some.restart(before, later) : null;
      return before.length > 0 ? { taken: before.length, state: null } : null;
    },
    counted(from, judged) {
      const inRole = judged.filter(({ readAtMs }) => readAtMs < endMs);
      if (!some || inRole.length === 0) return [];
      if (!some.counted) return replayLaw(law, from, inRole).intervals;
      return some.counted(from, inRole).flatMap((interval) => counted(interval) ?? []);
    },
    knows: (state) => some === null || some.knows(state),
    ...(some?.earliestMs && {
      earliestMs: (state: unknown) => (state === null ? Infinity : (some.earliestMs?.(state) ?? Infinity)),
    }),
    step(state, point, findings) {
      if (point.readAtMs >= endMs) return null;
      const now = spans.find(({ untilMs }) => point.readAtMs < untilMs)?.law ?? some;
      return (now as Law<unknown>).step(state, point, {
        verdict: (judged, verdict) => findings.verdict(judged, verdict),
        takeBack: (sinceMs, untilMs, verdict) => findings.takeBack(sinceMs, untilMs, verdict),
        interval(interval) {
          const energy = counted(interval);
          if (energy) findings.interval(energy);
        },
      });
    },
  };
  return law;
}
