import type { CountingSettings, SettingsByTime, SettingsUntilTime } from './counting-rule.ts';

/** Whether both sets of settings are equal for a counting rule. */
const haveSameSettings = (one: CountingSettings, other: CountingSettings): boolean =>
  one.limitKw === other.limitKw &&
  one.registerMaxKwh === other.registerMaxKwh &&
  one.maxGapMinutes === other.maxGapMinutes;

/** Returns a function that returns the settings that are valid at a time, Unix ms. */
export function createSettingsLookup(settings: SettingsByTime): (ms: number) => CountingSettings {
  const { earlier } = settings;
  if (!earlier) return () => settings;
  return (ms) => earlier.find(({ untilMs }) => ms < untilMs) ?? settings;
}

/**
 * Whether the series began to measure another counter between two readings (times in Unix ms), because the owner changed the decoder
 * settings. The energy between these readings is unknown.
 */
export const hasCounterChangeBetween = ({ splits }: SettingsByTime, aMs: number, bMs: number): boolean =>
  splits?.some((ms) => aMs <= ms && ms < bMs) ?? false;

/**
 * Corrects the time of a reading (Unix ms) for a comparison with a later reading. Each step by which the clock was set back between the two
 * readings moves the time back by the length of the step. A reading exactly at a step can be the earlier or the later reading: it was read
 * before the step, and is also the first reading after it.
 */
export const correctTimeForClockSteps = ({ stepsBack }: SettingsByTime, aMs: number, bMs: number): number =>
  (stepsBack ?? []).reduce((ms, { atMs, byMs }) => (aMs <= atMs && atMs <= bMs ? ms - byMs : ms), aMs);

/** A time range, Unix ms: `[fromMs, toMs)`. */
interface Times {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Returns the time range whose consumption was computed with other settings than `settings`. Null if there is none. */
export function findRangeComputedWithOtherSettings(
  computedWith: SettingsByTime,
  settings: CountingSettings,
): Times | null {
  const spans = spansOf(computedWith);
  const isOther = (span: CountingSettings) => !haveSameSettings(span, settings);
  const [first, last] = [spans.findIndex(isOther), spans.findLast(isOther)];
  return last ? { fromMs: spans[first - 1]?.untilMs ?? Number.NEGATIVE_INFINITY, toMs: last.untilMs } : null;
}

/** Returns the settings by time that result if the consumption before `untilMs` (Unix ms) is recomputed with `settings`. */
export function applySettingsUntil(
  computedWith: SettingsByTime,
  settings: CountingSettings,
  untilMs: number,
): SettingsByTime {
  if (untilMs === Number.NEGATIVE_INFINITY) return computedWith;
  const later = spansOf(computedWith).filter((span) => span.untilMs > untilMs);
  return ofSpans([{ ...settings, untilMs }, ...later]);
}

/** Returns the settings as time spans. The last span ends at Infinity. */
const spansOf = ({ earlier = [], ...latest }: SettingsByTime): SettingsUntilTime[] => [
  ...earlier,
  { ...latest, untilMs: Number.POSITIVE_INFINITY },
];

function ofSpans(spans: readonly SettingsUntilTime[]): SettingsByTime {
  const apart = spans.filter((span, index) => {
    const next = spans[index + 1];
    return !next || !haveSameSettings(span, next);
  });
  const { untilMs: _, ...latest } = apart.at(-1) as SettingsUntilTime;
  return apart.length === 1 ? latest : { ...latest, earlier: apart.slice(0, -1) };
}
