import { castToMilliwattHours } from '#src/core/units.ts';
import { type CountingRule, findRestartAfterLastCountedReading } from './counting-rule.ts';

export interface IntervalState {
  /** End of the last interval that was counted, Unix ms. */
  keptEndMs?: number;
}

/**
 * The rule that counts interval energy as it was sent. An interval that overlaps an earlier counted interval is rejected. Intervals must be
 * in order of their ends. Readings are in mWh.
 */
export function createIntervalCountingRule(direction: 'import' | 'export'): CountingRule<IntervalState> {
  return {
    initial: {},
    knows: () => true,
    restart: (before) => findRestartAfterLastCountedReading(before, (point) => ({ keptEndMs: point.readAtMs })),
    step(state, point, findings) {
      const startMs = point.readAtMs - point.intervalMs;
      if (state.keptEndMs !== undefined && startMs < state.keptEndMs) {
        findings.verdict(point, 'overlap');
        return state;
      }
      const [imported, exported] = direction === 'import' ? [point.value, 0] : [0, point.value];
      findings.interval({
        startMs,
        endMs: point.readAtMs,
        importMilliwattHours: castToMilliwattHours(imported),
        exportMilliwattHours: castToMilliwattHours(exported),
        estimated: false,
      });
      return { keptEndMs: point.readAtMs };
    },
  };
}
