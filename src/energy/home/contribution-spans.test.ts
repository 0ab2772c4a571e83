import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ContributingSeries, computeContributionSpans, sumExpectedCoverageMs } from './contribution-spans.ts';

const MAX_MS = 100;
const { NEGATIVE_INFINITY: ALWAYS, POSITIVE_INFINITY: NEVER } = Number;

/** Time spans of one series in which its energy contributes to import, export, both or neither. */
const series = fc
  .record({
    bounds: fc.uniqueArray(fc.nat(MAX_MS), { maxLength: 4 }),
    counts: fc.array(fc.nat(3), { minLength: 5, maxLength: 5 }),
  })
  .chain(({ bounds, counts }) => {
    const sorted = [ALWAYS, ...bounds.toSorted((a, b) => a - b), NEVER];
    return fc.constantFrom(null, 'grid').map((part) =>
      sorted.slice(1).flatMap((toMs, index): ContributingSeries[] => {
        const [imports, exports] = [(counts[index] as number) & 1, (counts[index] as number) >> 1];
        return imports + exports === 0 ? [] : [{ part, fromMs: sorted[index] as number, toMs, imports, exports }];
      }),
    );
  });
const device = fc.array(series, { maxLength: 4 }).map((all) => all.flat());

test('expected coverage adds up, for each ms, the series that count then, or the last counting ones if none counts any more', () => {
  fc.assert(
    fc.property(device, fc.nat(MAX_MS), fc.nat(MAX_MS), (all, a, b) => {
      const [fromMs, toMs] = [Math.min(a, b), Math.max(a, b)];
      const spans = computeContributionSpans(all);
      for (const flow of ['imports', 'exports'] as const) {
        const countedAt = (ms: number, one: ContributingSeries) => (one.fromMs <= ms && ms < one.toMs ? one[flow] : 0);
        const sumAt = (ms: number) => all.reduce((sum, one) => sum + countedAt(ms, one), 0);
        for (const part of [null, 'grid']) {
          let wanted = 0;
          for (let ms = fromMs; ms < toMs; ms++) {
            let last = ms;
            // If no series contributes from this time on, those that contributed last still count.
            const isOver = Array.from({ length: MAX_MS + 2 - ms }, (_, later) => ms + later).every(
              (at) => sumAt(at) === 0,
            );
            while (isOver && last >= -1 && sumAt(last) === 0) last--;
            wanted += all.reduce((sum, one) => sum + (one.part === part ? countedAt(last, one) : 0), 0);
          }
          expect(sumExpectedCoverageMs(spans.get(part) ?? [], fromMs, toMs)[flow]).toBe(wanted);
        }
      }
    }),
  );
});
