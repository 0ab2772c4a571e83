import { type Edit, type EditTimeRange, MANUAL_READING_INTERVAL_MARKER } from '#src/devices/edits/edit.ts';
import type { BackwardClockStep, SeriesReading } from './counting-rule.ts';

/** Returns whether an edit excludes a reading of a series. */
export type ReadingExclusionPredicate = (point: SeriesReading) => boolean;

/** The effect of edits on one series, after a plan that applies the edits up to a time. */
export interface SeriesEdits {
  /** Whether the edits exclude a reading. Undefined if they exclude no reading. */
  readonly isExcluded?: ReadingExclusionPredicate;
  /** Range of the readings that the plan recomputes, in Unix ms (both ends inclusive). Null: the plan recomputes none. */
  readonly changed: { readonly firstMs: number; readonly lastMs: number } | null;
  /** Readings by hand that must be stored. `withdrawn`: readings by hand that must be deleted. */
  readonly added: readonly SeriesReading[];
  readonly withdrawn: readonly SeriesReading[];
  /** Steps by which the clock of the receiving host was set back, before and after the plan. */
  readonly stepsBack: {
    readonly before: readonly BackwardClockStep[];
    readonly after: readonly BackwardClockStep[];
    /** Times of the first and of the last step of the clock that the plan adds or removes, Unix ms. Null if there is no such step. */
    readonly changed: { readonly firstMs: number; readonly lastMs: number } | null;
  };
  /** Time ranges, in order, of which all readings are excluded both before and after the plan. Their readings need not be loaded. */
  readonly passedOver: readonly EditTimeRange[];
}

const NO_EDITS: SeriesEdits = {
  changed: null,
  added: [],
  withdrawn: [],
  stepsBack: { before: [], after: [], changed: null },
  passedOver: [],
};

/** Returns the Unix time in ms from which an edit must still be applied or, if it was revoked, reverted. Null if nothing is pending. */
export function findPendingEditStartMs({ isInForce, counted, fromMs, toMs }: Edit): number | null {
  if (!isInForce) return counted?.fromMs ?? null;
  const reachedMs = counted?.toMs ?? fromMs;
  return reachedMs < toMs ? reachedMs : null;
}

/**
 * Returns the time range in which an edit is applied, once a plan has applied pending edits up to `untilMs`. Null if it is then applied
 * nowhere.
 */
export function findAppliedRangeOfEdit(edit: Edit, untilMs: number): EditTimeRange | null {
  const { isInForce, counted, fromMs, toMs } = edit;
  const openMs = findPendingEditStartMs(edit);
  if (openMs === null || untilMs <= openMs) return counted;
  if (isInForce) return { fromMs, toMs: Math.min(toMs, untilMs) };
  const endMs = (counted as EditTimeRange).toMs;
  return untilMs < endMs ? { fromMs: untilMs, toMs: endMs } : null;
}

/** Returns the end of the time range in which an edit is pending, Unix ms. */
export const getPendingEditEndMs = ({ isInForce, counted, toMs }: Edit): number =>
  isInForce ? toMs : (counted?.toMs ?? toMs);

/**
 * Returns the effect of a device's edits on one of its series. Pure. An edit applies to all readings in its time range, whenever they
 * arrive, so that results depend only on the set of messages and the set of applied edits. `untilMs`: time up to which the plan applies
 * pending edits.
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
  // An edit adds a reading by hand only if the applied part contains the start of the edit. Any other reading by hand at this time was
  // entered by a person.
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
            // If a later step set the clock back to a time before an earlier step, the earlier step takes effect at the time of the later
            // one, which is before the start of the earlier step's edit.
            firstMs: Math.min(
              stepsBack.changed?.firstMs ?? Infinity,
              ...open.map((edit) => findPendingEditStartMs(edit) as number),
            ),
            lastMs: Math.max(...open.map((edit) => Math.min(getPendingEditEndMs(edit), untilMs) - 1)),
          },
    // An edit adds its reading by hand at its start. This reading is stored when the first part of the edit is applied, and deleted when
    // this part is reverted.
    added: pointsOf(({ isInForce, counted }) => isInForce && counted === null),
    withdrawn: pointsOf(({ isInForce, counted, fromMs }) => !isInForce && counted?.fromMs === fromMs),
    stepsBack,
    passedOver: passedOver(whole, untilMs),
  };
}

/** Returns the time ranges that are excluded both before and after the plan, without the times of readings by hand. */
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

/** Sorts time ranges, and merges those that touch or overlap. */
function joined(times: readonly EditTimeRange[]): EditTimeRange[] {
  const found: { fromMs: number; toMs: number }[] = [];
  for (const { fromMs, toMs } of times.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const last = found.at(-1);
    if (last && fromMs <= last.toMs) last.toMs = Math.max(last.toMs, toMs);
    else found.push({ fromMs, toMs });
  }
  return found;
}

/** Whether an edit applies to a series of its device. */
export const isSeriesAffectedByEdit = (edit: Edit, channel: string, kind: string): boolean =>
  edit.channel === null || (edit.channel === channel && edit.kind === kind);

/**
 * Returns a test whether a reading is at one of the times that an edit for a step of the clock lists, within the applied range. The reading
 * that the edit adds replaces a sent reading at the same time. `carried`: times at which such edits add a reading because a later step
 * excludes the readings that earlier steps added.
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

/** Returns the steps by which the clock was set back, before and after the plan. */
function changeOfSteps(was: readonly Edit[], is: readonly Edit[]): SeriesEdits['stepsBack'] {
  const [before, after] = [stepsBackOf(was), stepsBackOf(is)];
  // Two steps of the clock may be equal, so each step in `before` cancels only one equal step in `after`.
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
 * Returns the steps by which the device's clock was set back, from the edits of a series. Each step adds its length to the elapsed time. If
 * a later step set the clock back to a time before an earlier step, both take effect at the time of the later one.
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
 * Returns a test whether one of the edits excludes a reading because of its time. True for readings that were sent, and for readings that
 * an edit for a step of the clock added. False for a reading that a person entered, which replaces the sent reading at its time.
 */
function within(edits: readonly EditTimeRange[], carried: ReadonlySet<number>): ReadingExclusionPredicate | undefined {
  if (edits.length === 0) return undefined;
  const spans = joined(edits);
  return ({ readAtMs, intervalMs }) => {
    if (intervalMs === MANUAL_READING_INTERVAL_MARKER && !carried.has(readAtMs)) return false;
    let [low, high] = [0, spans.length];
    // A binary search finds the last time range that begins at or before the reading.
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((spans[middle] as EditTimeRange).fromMs <= readAtMs) low = middle + 1;
      else high = middle;
    }
    const span = spans[low - 1];
    return span !== undefined && readAtMs < span.toMs;
  };
}
