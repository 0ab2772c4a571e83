import { type Edit, type EditTimeRange, MANUAL_READING_INTERVAL_MARKER } from '#src/devices/edits/edit.ts';
import type { BackwardClockStep, SeriesReading } from './counting-rule.ts';

export type ReadingExclusionPredicate = (point: SeriesReading) => boolean;

/**
 * The effect of edits on one series while a recomputation applies them. An edit changes past readings. A person has made it, or the service
 * after a clock was set back.
 */
export interface SeriesEdits {
  readonly isExcluded?: ReadingExclusionPredicate;
  /** Range of readings to recompute, in Unix ms (both ends inclusive). Null if there is none. */
  readonly changed: { readonly firstMs: number; readonly lastMs: number } | null;
  /** Readings that a person entered and that must be stored. `withdrawn`: those that must be deleted. */
  readonly added: readonly SeriesReading[];
  readonly withdrawn: readonly SeriesReading[];
  /** Steps by which the clock of the receiving host was set back, before and after the recomputation. */
  readonly stepsBack: {
    readonly before: readonly BackwardClockStep[];
    readonly after: readonly BackwardClockStep[];
    /** Times of the first and last of those clock steps that the recomputation adds or removes, Unix ms. Null if there are none. */
    readonly changed: { readonly firstMs: number; readonly lastMs: number } | null;
  };
  /** Time ranges whose readings are excluded both before and after the recomputation. These readings need not be loaded. */
  readonly passedOver: readonly EditTimeRange[];
}

const NO_EDITS: SeriesEdits = {
  changed: null,
  added: [],
  withdrawn: [],
  stepsBack: { before: [], after: [], changed: null },
  passedOver: [],
};

/**
 * Returns the Unix time in ms from which an edit must still be applied or, if the owner has revoked it, undone. Null if nothing is left to
 * do.
 */
export function findPendingEditStartMs({ isInForce, counted, fromMs, toMs }: Edit): number | null {
  if (!isInForce) return counted?.fromMs ?? null;
  const reachedMs = counted?.toMs ?? fromMs;
  return reachedMs < toMs ? reachedMs : null;
}

/**
 * Returns the time range in which an edit is applied after pending edits have been applied up to `untilMs`. Null if there is no such range.
 */
export function findAppliedRangeOfEdit(edit: Edit, untilMs: number): EditTimeRange | null {
  const { isInForce, counted, fromMs, toMs } = edit;
  const openMs = findPendingEditStartMs(edit);
  if (openMs === null || untilMs <= openMs) return counted;
  if (isInForce) return { fromMs, toMs: Math.min(toMs, untilMs) };
  const endMs = (counted as EditTimeRange).toMs;
  return untilMs < endMs ? { fromMs: untilMs, toMs: endMs } : null;
}

/** Returns the end of the time for which an edit must still be applied or undone, Unix ms. */
export const getPendingEditEndMs = ({ isInForce, counted, toMs }: Edit): number =>
  isInForce ? toMs : (counted?.toMs ?? toMs);

/**
 * Returns the effect of a device's edits on one of its series. An edit applies to all readings in its time range, even to those that arrive
 * later. `untilMs`: time up to which pending edits are applied.
 */
export function computeSeriesEdits(
  edits: readonly Edit[],
  channel: string,
  kind: string,
  untilMs: number,
): SeriesEdits {
  if (edits.length === 0) return NO_EDITS;
  const mine = edits.filter((edit) => isSeriesAffectedByEdit(edit, channel, kind));
  if (mine.length === 0) return NO_EDITS;
  const whole = mine.filter(({ instants }) => !instants);
  // The reading that an edit adds exists only after the start of the edit has been applied. Other manual readings at the same time were
  // entered separately.
  const applied = mine.filter((edit) => findAppliedRangeOfEdit(edit, untilMs)?.fromMs === edit.fromMs);
  const carried = new Set(applied.flatMap(({ instants, value, fromMs }) => (instants && value !== null ? fromMs : [])));
  const isExcluded = either(
    within(
      whole.flatMap((edit) => findAppliedRangeOfEdit(edit, untilMs) ?? []),
      carried,
    ),
    ...mine.map((edit) => ofInstants(edit, findAppliedRangeOfEdit(edit, untilMs), carried)),
  );
  const open = mine.filter((edit) => (findPendingEditStartMs(edit) ?? untilMs) < untilMs);
  const pointsOf = (isAsked: (edit: Edit) => boolean): SeriesReading[] =>
    open.flatMap((edit) =>
      edit.value !== null && isAsked(edit)
        ? [{ readAtMs: edit.fromMs, intervalMs: MANUAL_READING_INTERVAL_MARKER, value: edit.value }]
        : [],
    );
  const stepsBack = changeOfSteps(
    mine.filter((edit) => edit.counted?.fromMs === edit.fromMs),
    applied,
  );
  return {
    ...(isExcluded ? { isExcluded } : {}),
    changed:
      open.length === 0
        ? null
        : {
            // Includes the times of changed clock steps: a step can take effect before the start of its edit (`stepsBackOf`).
            firstMs: Math.min(
              stepsBack.changed?.firstMs ?? Infinity,
              ...open.map((edit) => findPendingEditStartMs(edit) as number),
            ),
            lastMs: Math.max(...open.map((edit) => Math.min(getPendingEditEndMs(edit), untilMs) - 1)),
          },
    // The reading of an edit is at the start of the edit. It is stored when the first part of the edit is applied.
    added: pointsOf(({ isInForce, counted }) => isInForce && counted === null),
    withdrawn: pointsOf(({ isInForce, counted, fromMs }) => !isInForce && counted?.fromMs === fromMs),
    stepsBack,
    passedOver: passedOver(whole, untilMs),
  };
}

function passedOver(edits: readonly Edit[], untilMs: number): EditTimeRange[] {
  const both = edits.flatMap((edit) => {
    const after = findAppliedRangeOfEdit(edit, untilMs);
    if (!edit.counted || !after) return [];
    return { fromMs: Math.max(edit.counted.fromMs, after.fromMs), toMs: Math.min(edit.counted.toMs, after.toMs) };
  });
  const times = joined(both.filter(({ fromMs, toMs }) => fromMs < toMs));
  const byHand = edits.filter(({ value }) => value !== null).map(({ fromMs }) => fromMs);
  return times.flatMap(({ fromMs, toMs }) => {
    const cuts = byHand.filter((ms) => ms >= fromMs && ms < toMs).sort((a, b) => a - b);
    const starts = [fromMs, ...cuts.map((ms) => ms + 1)];
    return starts
      .map((startMs, index) => ({ fromMs: startMs, toMs: cuts[index] ?? toMs }))
      .filter((time) => time.fromMs < time.toMs);
  });
}

function joined(times: readonly EditTimeRange[]): EditTimeRange[] {
  const found: { fromMs: number; toMs: number }[] = [];
  for (const { fromMs, toMs } of times.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const last = found.at(-1);
    if (last && fromMs <= last.toMs) last.toMs = Math.max(last.toMs, toMs);
    else found.push({ fromMs, toMs });
  }
  return found;
}

export const isSeriesAffectedByEdit = (edit: Edit, channel: string, kind: string): boolean =>
  edit.channel === null || (edit.channel === channel && edit.kind === kind);

/**
 * Returns a function that tests whether an edit for a clock step replaces a reading. Such an edit lists the times of the readings that it
 * replaces. `carried`: times at which edits for clock steps have added readings. Unlike a reading that a person entered, such a reading can
 * be replaced.
 */
function ofInstants(
  { instants, value, ...edit }: Edit,
  counted: EditTimeRange | null,
  carried: ReadonlySet<number>,
): ReadingExclusionPredicate | undefined {
  if (!instants || !counted) return undefined;
  const { fromMs, toMs } = counted;
  return ({ readAtMs, intervalMs }) => {
    if (readAtMs < fromMs || readAtMs >= toMs) return false;
    if (intervalMs === MANUAL_READING_INTERVAL_MARKER)
      return readAtMs > edit.fromMs && instants.has(readAtMs) && carried.has(readAtMs);
    return instants.has(readAtMs) || (value !== null && readAtMs === edit.fromMs);
  };
}

function either(...conditions: (ReadingExclusionPredicate | undefined)[]): ReadingExclusionPredicate | undefined {
  const some = conditions.filter((condition) => condition !== undefined);
  if (some.length <= 1) return some[0];
  return (point) => some.some((condition) => condition(point));
}

/** Returns the steps by which the clock was set back, before and after the recomputation. */
function changeOfSteps(was: readonly Edit[], is: readonly Edit[]): SeriesEdits['stepsBack'] {
  const [before, after] = [stepsBackOf(was), stepsBackOf(is)];
  // Two clock steps may be equal, so each step cancels only one equal step.
  const added = [...after];
  const removed = before.filter(({ atMs, byMs }) => {
    const same = added.findIndex((one) => one.atMs === atMs && one.byMs === byMs);
    if (same !== -1) added.splice(same, 1);
    return same === -1;
  });
  const times = [...removed, ...added].map(({ atMs }) => atMs);
  const changed = times.length === 0 ? null : { firstMs: Math.min(...times), lastMs: Math.max(...times) };
  return { before, after, changed };
}

/**
 * Returns the steps by which the clock was set back. If a later step set it back beyond an earlier one, both take effect at the time of the
 * later step.
 */
function stepsBackOf(edits: readonly Edit[]): BackwardClockStep[] {
  const mine = edits.filter(({ instants }) => instants);
  const steps: { edit: Edit; step: BackwardClockStep }[] = [];
  for (const edit of mine.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const { fromMs, toMs } = edit;
    const later = steps.filter((one) => one.edit.instants?.has(fromMs)).map(({ step }) => step.atMs);
    steps.push({ edit, step: { atMs: Math.min(fromMs, ...later), byMs: toMs - fromMs } });
  }
  return steps.map(({ step }) => step);
}

/**
 * Returns a function that tests whether an edit excludes a reading because of its time. A reading that a person entered is never excluded.
 */
function within(edits: readonly EditTimeRange[], carried: ReadonlySet<number>): ReadingExclusionPredicate | undefined {
  if (edits.length === 0) return undefined;
  const spans = joined(edits);
  return ({ readAtMs, intervalMs }) => {
    if (intervalMs === MANUAL_READING_INTERVAL_MARKER && !carried.has(readAtMs)) return false;
    let [low, high] = [0, spans.length];
    // Binary search for the last time range that begins at or before the reading.
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((spans[middle] as EditTimeRange).fromMs <= readAtMs) low = middle + 1;
      else high = middle;
    }
    const span = spans[low - 1];
    return span !== undefined && readAtMs < span.toMs;
  };
}
