import {
  type CountingResultReceiver,
  type CountingRule,
  type CountingSettings,
  findRestartAfterLastCountedReading,
  type SeriesReading,
} from '#ingest/normalise/counting-rule.ts';
import {
  isPlausibleRegisterChange,
  isRegisterJitter,
  isRegisterReset,
  type RegisterValue,
} from '#ingest/normalise/plausibility.ts';
import { castToMilliwattHours } from '#src/core/units.ts';

const HOUR_MS = 3_600_000;

/**
 * State of the first edition of the counting rule. `good`: last counted reading. `held`: implausible reading after it, which is not decided
 * yet. `first`: first later reading that is consistent with `held`.
 */
interface FirstEditionState {
  good?: RegisterValue;
  held?: RegisterValue;
  first?: RegisterValue;
}

const registerOf = ({ readAtMs, value }: SeriesReading): RegisterValue => ({
  readAtMs,
  valueMilliwattHours: castToMilliwattHours(value),
});
const pointOf = (value: RegisterValue): SeriesReading => ({
  readAtMs: value.readAtMs,
  intervalMs: 0,
  value: value.valueMilliwattHours,
});

/** Whether the step from `a` to `b` is a register rollover by the first edition of the counting rules. */
function isRollover(a: RegisterValue, b: RegisterValue, { registerMaxKwh }: CountingSettings): boolean {
  if (registerMaxKwh === null) return false;
  const maximum = Math.round(registerMaxKwh * 1e6);
  return (
    a.valueMilliwattHours <= maximum && a.valueMilliwattHours * 10 > maximum * 9 && b.valueMilliwattHours * 10 < maximum
  );
}

/** First edition of the counting rule for registers. Older installations computed their rows with it. */
export function createFirstRegisterCountingRule(
  settings: CountingSettings,
  direction: 'import' | 'export',
): CountingRule<FirstEditionState> {
  const fits = (a: RegisterValue, b: RegisterValue) => isPlausibleRegisterChange(a, b, settings);

  function count(findings: CountingResultReceiver, a: RegisterValue, b: RegisterValue, energy: number) {
    const estimated = b.readAtMs - a.readAtMs > HOUR_MS;
    const [imported, exported] = direction === 'import' ? [energy, 0] : [0, energy];
    findings.interval({
      startMs: a.readAtMs,
      endMs: b.readAtMs,
      importMilliwattHours: castToMilliwattHours(imported),
      exportMilliwattHours: castToMilliwattHours(exported),
      estimated,
    });
  }
  const countStep = (findings: CountingResultReceiver, a: RegisterValue, b: RegisterValue) =>
    count(findings, a, b, b.valueMilliwattHours - a.valueMilliwattHours);

  /** Called when two later readings confirm a held (implausible) reading. Reports this, and counts the energy up to it. */
  function confirm(findings: CountingResultReceiver, good: RegisterValue, held: RegisterValue) {
    if (isRollover(good, held, settings)) {
      findings.verdict(pointOf(held), 'rollover');
      count(
        findings,
        good,
        held,
        Math.round((settings.registerMaxKwh ?? 0) * 1e6) - good.valueMilliwattHours + held.valueMilliwattHours,
      );
    } else if (isRegisterReset(good, held, settings)) {
      findings.verdict(pointOf(held), 'reset');
      count(findings, good, held, held.valueMilliwattHours);
    } else {
      findings.verdict(pointOf(held), 'swap');
    }
  }

  function hold(findings: CountingResultReceiver, good: RegisterValue, now: RegisterValue) {
    findings.verdict(pointOf(now), 'held');
    return { good, held: now };
  }

  return {
    initial: {},
    knows: () => true,
    restart: (before) => findRestartAfterLastCountedReading(before, (point) => ({ good: registerOf(point) })),
    step({ good, held, first }, point, findings) {
      const now = registerOf(point);
      const counted: FirstEditionState = { good: now };
      if (!good) return counted;
      if (!held) {
        if (fits(good, now)) {
          countStep(findings, good, now);
          return counted;
        }
        if (isRegisterJitter(good, now)) {
          // No energy is counted until the register exceeds its previous value.
          findings.verdict(point, 'jitter');
          const standing = { readAtMs: now.readAtMs, valueMilliwattHours: good.valueMilliwattHours };
          countStep(findings, good, standing);
          return { good: standing };
        }
        return hold(findings, good, now);
      }
      if (!first) {
        if (fits(good, now)) {
          findings.verdict(pointOf(held), 'glitch');
          countStep(findings, good, now);
          return counted;
        }
        if (fits(held, now)) {
          findings.verdict(point, 'confirming');
          return { good, held, first: now };
        }
        findings.verdict(pointOf(held), 'glitch');
        return hold(findings, good, now);
      }
      if (fits(first, now)) {
        confirm(findings, good, held);
        countStep(findings, held, first);
        countStep(findings, first, now);
        return counted;
      }
      findings.verdict(pointOf(first), 'glitch');
      if (fits(held, now)) {
        // The reading that seemed to confirm the held (implausible) reading was itself false. The current reading takes its place and
        // confirms the held reading.
        findings.verdict(point, 'confirming');
        return { good, held, first: now };
      }
      findings.verdict(pointOf(held), 'glitch');
      if (fits(good, now)) {
        countStep(findings, good, now);
        return counted;
      }
      return hold(findings, good, now);
    },
  };
}
