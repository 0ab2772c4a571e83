import fc from 'fast-check';
import { expect, test } from 'vitest';
import { arbitraryHistory, arbitrarySettings } from '#test/reference/histories.ts';
import { compareSeriesReadings } from './counting-rule.ts';
import { createCountingRuleByTime } from './counting-rule-by-time.ts';
import { replayReadings } from './replay.ts';
import {
  applySeriesRolesUntil,
  createSeriesRolesLookup,
  findRangeOfSeriesRoleDifference,
  NO_SERIES_ROLES,
  type SeriesRoles,
} from './roles-by-time.ts';
import { selectCountingRule } from './select-counting-rule.ts';

const IMPORT: SeriesRoles = { import: true, export: false, meter: null };
const EXPORT: SeriesRoles = { import: false, export: true, meter: null };
const GAS: SeriesRoles = { import: true, export: false, meter: 'gas' };
const role = fc.constantFrom(IMPORT, EXPORT, GAS, NO_SERIES_ROLES);

test('applies new roles before a time, and leaves the previous ones from it on', () => {
  const times = fc.array(fc.record({ roles: role, untilMs: fc.integer({ min: 0, max: 20 }) }), { maxLength: 6 });
  fc.assert(
    fc.property(role, times, (first, changes) => {
      let of: Parameters<typeof createSeriesRolesLookup>[0] = { roles: first };
      const wanted = Array<SeriesRoles>(22).fill(first);
      for (const { roles, untilMs } of changes) {
        of = applySeriesRolesUntil(of, { roles }, untilMs);
        wanted.fill(roles, 0, untilMs);
        const other = wanted.flatMap((one, ms) => (one === roles ? [] : [ms]));
        const times = findRangeOfSeriesRoleDifference(of, { roles });
        expect(times === null).toBe(other.length === 0);
        if (times) expect(times.fromMs).toBe(other[0]);
      }
      expect(wanted.map((_, ms) => createSeriesRolesLookup(of)(ms))).toEqual(wanted);
      expect(applySeriesRolesUntil(of, { roles: first }, Number.POSITIVE_INFINITY)).toEqual({ roles: first });
    }),
  );
});

test('counts each interval once, by the role at its end, for any border; with one role, it equals the counting rule of that role', () => {
  fc.assert(
    fc.property(
      arbitraryHistory,
      arbitrarySettings,
      role,
      role,
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.constantFrom('register' as const, 'interval' as const, 'power' as const),
      (one, by, before, after, share, kind) => {
        const points = one.readings
          .filter((reading) => reading.kind === kind && reading.channel === 'import')
          .sort(compareSeriesReadings)
          .filter(({ readAtMs, intervalMs }, index, all) => {
            const last = all[index - 1];
            return last?.readAtMs !== readAtMs || last.intervalMs !== intervalMs;
          });
        const border = points[Math.floor(share * points.length)]?.readAtMs ?? 0;
        const of = applySeriesRolesUntil({ roles: after }, { roles: before }, border);
        const ruleOf = (roles: SeriesRoles) => selectCountingRule('import', kind, roles, by);
        const energy = (roles: SeriesRoles) => {
          const rule = ruleOf(roles);
          return rule ? replayReadings(rule, rule.initial, points).intervals : [];
        };
        const rule = createCountingRuleByTime(of, ruleOf);
        const isPast = after.import || after.export;
        const wanted = [
          // If the series stops contributing at `border` while the rule still holds a reading back, this reading never gets a verdict. In
          // this case, the test checks only the ends of the intervals.
          ...(isPast ? energy(before).filter(({ endMs }) => endMs < border) : []),
          ...energy(after).filter(({ endMs }) => endMs >= border),
        ];
        const found = replayReadings(rule, rule.initial, points).intervals;
        if (isPast) expect(found).toEqual(wanted);
        else expect(found.every(({ endMs }) => endMs < border)).toBe(true);
      },
    ),
  );
});
