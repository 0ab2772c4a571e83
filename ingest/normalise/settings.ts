import type { EarlierSettings, LawSettings, SettingsByTime } from './law.ts';

/** Whether laws say the same by both. */
const haveSameSettings = (one: LawSettings, other: LawSettings): boolean =>
  one.limitKw === other.limitKw &&
  one.registerMaxKwh === other.registerMaxKwh &&
  one.maxGapMinutes === other.maxGapMinutes;

/** The settings by which a reading of a time (Unix ms) is judged, beside what came before it. */
export function settingsAt(settings: SettingsByTime): (ms: number) => LawSettings {
  const { earlier } = settings;
  if (!earlier) return () => settings;
  return (ms) => earlier.find(({ untilMs }) => ms < untilMs) ?? settings;
}

/** Whether another number is read at a time than at an earlier one (Unix ms): nothing is known of what flowed between them. */
export const isSplit = ({ splits }: SettingsByTime, aMs: number, bMs: number): boolean =>
  splits?.some((ms) => aMs <= ms && ms < bMs) ?? false;

/**
 * The time of a reading as it is compared with a later one (Unix ms): earlier by what the clock was set back between the two. A reading right at a step is
 * what was read before it and stands for it past it: it is on both sides.
 */
export const elapsedFromMs = ({ stepsBack }: SettingsByTime, aMs: number, bMs: number): number =>
  (stepsBack ?? []).reduce((ms, { atMs, byMs }) => (aMs <= atMs && atMs <= bMs ? ms - byMs : ms), aMs);

/** A time, Unix ms: from `fromMs` on and before `toMs`. */
interface Times {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The time of which consumption was computed with other settings than it is to be; null: of none. */
export function computedOtherwise(computedWith: SettingsByTime, settings: LawSettings): Times | null {
  const spans = spansOf(computedWith);
  const isOther = (span: LawSettings) => !haveSameSettings(span, settings);
  const [first, last] = [spans.findIndex(isOther), spans.findLast(isOther)];
  return last ? { fromMs: spans[first - 1]?.untilMs ?? Number.NEGATIVE_INFINITY, toMs: last.untilMs } : null;
}

/** What consumption was computed with once it is so with `settings` before a time, Unix ms. */
export function settingsUpTo(computedWith: SettingsByTime, settings: LawSettings, untilMs: number): SettingsByTime {
  if (untilMs === Number.NEGATIVE_INFINITY) return computedWith;
  const later = spansOf(computedWith).filter((span) => span.untilMs > untilMs);
  return ofSpans([{ ...settings, untilMs }, ...later]);
}

/** The last one has no end: Infinity. */
const spansOf = ({ earlier = [], ...latest }: SettingsByTime): EarlierSettings[] => [
  ...earlier,
  { ...latest, untilMs: Number.POSITIVE_INFINITY },
];

function ofSpans(spans: readonly EarlierSettings[]): SettingsByTime {
  const apart = spans.filter((span, index) => {
    const next = spans[index + 1];
    return !next || !haveSameSettings(span, next);
  });
  const { untilMs: _, ...latest } = apart.at(-1) as EarlierSettings;
  return apart.length === 1 ? latest : { ...latest, earlier: apart.slice(0, -1) };
}
