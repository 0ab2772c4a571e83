import type { CountingSettings, CountingSettingsByTime, CountingSettingsUntilTime } from './counting-rule.ts';

const haveSameSettings = (one: CountingSettings, other: CountingSettings): boolean =>
  one.limitKw === other.limitKw &&
  one.registerMaxKwh === other.registerMaxKwh &&
  one.maxGapMinutes === other.maxGapMinutes;

/** Returns a function that finds the settings at a time (Unix ms). */
export function createCountingSettingsLookup(settings: CountingSettingsByTime): (ms: number) => CountingSettings {
  const { earlier } = settings;
  if (!earlier) return () => settings;
  return (ms) => earlier.find(({ untilMs }) => ms < untilMs) ?? settings;
}

/** Whether the series began to measure another counter between two readings (Unix ms), so that the energy between them is unknown. */
export const hasCounterChangeBetween = ({ splits }: CountingSettingsByTime, aMs: number, bMs: number): boolean =>
  splits?.some((ms) => aMs <= ms && ms < bMs) ?? false;

/**
 * Returns the time of a reading (Unix ms), moved back by the length of each later clock step before `bMs`. The difference of the two times
 * is then the elapsed time.
 */
export const correctTimeForClockSteps = ({ stepsBack }: CountingSettingsByTime, aMs: number, bMs: number): number =>
  (stepsBack ?? []).reduce((ms, { atMs, byMs }) => (aMs <= atMs && atMs <= bMs ? ms - byMs : ms), aMs);

interface Times {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Returns the time range whose consumption was computed with other settings. Null if there is none. */
export function findRangeComputedWithOtherSettings(
  computedWith: CountingSettingsByTime,
  settings: CountingSettings,
): Times | null {
  const spans = spansOf(computedWith);
  const isOther = (span: CountingSettings) => !haveSameSettings(span, settings);
  const [first, last] = [spans.findIndex(isOther), spans.findLast(isOther)];
  return last ? { fromMs: spans[first - 1]?.untilMs ?? Number.NEGATIVE_INFINITY, toMs: last.untilMs } : null;
}

/** Returns the settings by time after the consumption before `untilMs` (Unix ms) has been recomputed with `settings`. */
export function applyCountingSettingsUntil(
  computedWith: CountingSettingsByTime,
  settings: CountingSettings,
  untilMs: number,
): CountingSettingsByTime {
  if (untilMs === Number.NEGATIVE_INFINITY) return computedWith;
  const later = spansOf(computedWith).filter((span) => span.untilMs > untilMs);
  return ofSpans([{ ...settings, untilMs }, ...later]);
}

const spansOf = ({ earlier = [], ...latest }: CountingSettingsByTime): CountingSettingsUntilTime[] => [
  ...earlier,
  { ...latest, untilMs: Number.POSITIVE_INFINITY },
];

function ofSpans(spans: readonly CountingSettingsUntilTime[]): CountingSettingsByTime {
  const apart = spans.filter((span, index) => {
    const next = spans[index + 1];
    return !next || !haveSameSettings(span, next);
  });
  const { untilMs: _, ...latest } = apart.at(-1) as CountingSettingsUntilTime;
  return apart.length === 1 ? latest : { ...latest, earlier: apart.slice(0, -1) };
}
