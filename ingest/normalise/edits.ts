import { type Edit, READ_BY_HAND } from '#src/devices/edits/edit.ts';
import type { Point } from './law.ts';

/** Whether a reading of a series is passed over by hand. */
export type IsExcluded = (point: Point) => boolean;

/** What edits in force, and edits that are not worked in yet, mean for one series. */
export interface SeriesEdits {
  /** Undefined: nothing of it is passed over. */
  readonly isExcluded?: IsExcluded;
  /** The readings (Unix ms, both inclusive) around what edits change that are not worked in yet; null: all are. */
  readonly changed: { readonly firstMs: number; readonly lastMs: number } | null;
  /** Readings by hand that are to be stored, and those that are to be taken away. */
  readonly added: readonly Point[];
  readonly withdrawn: readonly Point[];
}

const NO_EDITS: SeriesEdits = { changed: null, added: [], withdrawn: [] };

/**
 * What the edits of a device mean for one of its series. Pure. An edit says of a set of readings what counts, whenever they come: so
 * the law's result is a function of the set of messages and the set of edits in force.
 */
export function editsOfSeries(edits: readonly Edit[], channel: string, kind: string): SeriesEdits {
  if (edits.length === 0) return NO_EDITS;
  const mine = edits.filter((edit) => concerns(edit, channel, kind));
  if (mine.length === 0) return NO_EDITS;
  const isExcluded = within(mine.filter(({ isInForce }) => isInForce));
  const open = mine.filter(({ isInForce, isCounted }) => isInForce !== isCounted);
  const pointsOf = (isAdded: boolean): Point[] =>
    open.flatMap(({ value, fromMs, isInForce }) =>
      value !== null && isInForce === isAdded ? [{ readAtMs: fromMs, intervalMs: READ_BY_HAND, value }] : [],
    );
  return {
    ...(isExcluded ? { isExcluded } : {}),
    changed:
      open.length === 0
        ? null
        : {
            firstMs: Math.min(...open.map(({ fromMs }) => fromMs)),
            lastMs: Math.max(...open.map(({ toMs }) => toMs - 1)),
          },
    added: pointsOf(true),
    withdrawn: pointsOf(false),
  };
}

const concerns = (edit: Edit, channel: string, kind: string): boolean =>
  edit.channel === null || (edit.channel === channel && edit.kind === kind);

/** Whether a point that was sent lies within one of the edits. What was read by hand takes the place of what was sent for that instant. */
function within(edits: readonly Edit[]): IsExcluded | undefined {
  if (edits.length === 0) return undefined;
  const spans: { fromMs: number; toMs: number }[] = [];
  for (const { fromMs, toMs } of edits.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const last = spans.at(-1);
    if (last && fromMs <= last.toMs) last.toMs = Math.max(last.toMs, toMs);
    else spans.push({ fromMs, toMs });
  }
  return ({ readAtMs, intervalMs }) => {
    if (intervalMs === READ_BY_HAND) return false;
    let [low, high] = [0, spans.length];
    // The last that begins at or before it.
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((spans[middle] as { fromMs: number }).fromMs <= readAtMs) low = middle + 1;
      else high = middle;
    }
    const span = spans[low - 1];
    return span !== undefined && readAtMs < span.toMs;
  };
}
