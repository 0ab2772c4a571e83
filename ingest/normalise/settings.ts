import type { CountingSettings, SettingsBeforeTime, SettingsByTime } from './counting-rule.ts';

/** Whether the counting rule gives the same results with both sets of settings. */
const haveSameSettings = (one: CountingSettings, other: CountingSettings): boolean =>
  one.limitKw === other.limitKw &&
  one.registerMaxKwh === other.registerMaxKwh &&
  one.maxGapMinutes === other.maxGapMinutes;

/** Returns a function that returns the settings for a reading at a time, Unix ms. */
export function createSettingsLookup(settings: SettingsByTime): (ms: number) => CountingSettings {
  const { earlier } = settings;
  if (!earlier) return () => settings;
  return (ms) => earlier.find(({ untilMs }) => ms < untilMs) ?? settings;
}

/**
 * Whether the series began to read another counter between two readings (times in Unix ms), because the owner changed the decoder settings.
 * The energy between the two readings is then unknown.
 */
export const hasCounterChangeBetween = ({ splits }: SettingsByTime, aMs: number, bMs: number): boolean =>
  splits?.some((ms) => aMs <= ms && ms < bMs) ?? false;

/**
 * Returns the time of a reading (Unix ms) for a comparison with a later reading: each step back of the clock between the two readings moves
 * the time back by the step's length. A reading exactly at a step is on both sides: it was read before the step, and is the first reading
 * after the step.
 */
export const correctForClockSteps = ({ stepsBack }: SettingsByTime, aMs: number, bMs: number): number =>
  (stepsBack ?? []).reduce((ms, { atMs, byMs }) => (aMs <= atMs && atMs <= bMs ? ms - byMs : ms), aMs);

/** A time range, Unix ms: `[fromMs, toMs)`. */
interface Times {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Returns the time range whose consumption was computed with settings other than `settings`. Null if there is none. */
export function findRangeComputedWithOtherSettings(
  computedWith: SettingsByTime,
  settings: CountingSettings,
): Times | null {
  const spans = spansOf(computedWith);
  const isOther = (span: CountingSettings) => !haveSameSettings(span, settings);
  const [first, last] = [spans.findIndex(isOther), spans.findLast(isOther)];
  return last ? { fromMs: spans[first - 1]?.untilMs ?? Number.NEGATIVE_INFINITY, toMs: last.untilMs } : null;
}

/** Returns the settings by time, once the consumption before `untilMs` (Unix ms) has been recomputed with `settings`. */
export function applySettingsUntil(
  computedWith: SettingsByTime,
  settings: CountingSettings,
  untilMs: number,
): SettingsByTime {
  if (untilMs === Number.NEGATIVE_INFINITY) return computedWith;
  const later = spansOf(computedWith).filter((span) => span.untilMs > untilMs);
  return ofSpans([{ ...settings, untilMs }, ...later]);
}

/** Returns settings as spans; the last one ends at Infinity. */
const spansOf = ({ earlier = [], ...latest }: SettingsByTime): SettingsBeforeTime[] => [
  ...earlier,
  { ...latest, untilMs: Number.POSITIVE_INFINITY },
];

function ofSpans(spans: readonly SettingsBeforeTime[]): SettingsByTime {
  const apart = spans.filter((span, index) => {
    const next = spans[index + 1];
    return !next || !haveSameSettings(span, next);
  });
  const { untilMs: _, ...latest } = apart.at(-1) as SettingsBeforeTime;
  return apart.length === 1 ? latest : { ...latest, earlier: apart.slice(0, -1) };
}
