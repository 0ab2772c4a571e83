import { judge } from '#ingest/decoders/registers-of-a-device/judge.ts';
import { chooseRoles } from '#ingest/normalise/channels.ts';
import { countedOtherwise, type RolesByTime, rolesOfSpans, spansOf } from '#ingest/normalise/roles-by-time.ts';
import type { Placement } from '#src/database/enums.ts';
import { nativeNameOf, wordFor } from '#src/devices/channel-name.ts';
import type { StandingDevice, StandingSeries } from './standing.ts';

const { NEGATIVE_INFINITY: ALWAYS, POSITIVE_INFINITY: NEVER } = Number;

/** What a series is to be: what it counts as, by time, and the channel by which it does now; null: the one that it is stored under. */
export interface Target extends RolesByTime {
  readonly meant: string | null;
}

/**
 * What the series of a device are to be, by its owner's words of now and, of those that were announced with names, by what these say of the set.
 * The set of a time are those that have a reading before it: one that comes later takes nothing from the past (rule 7). `series`: all that it has,
 * or will have, as they are called.
 */
export function targetRoles(
  { words = {} }: Pick<StandingDevice, 'words'>,
  series: readonly StandingSeries[],
): Target[] {
  const times = [ALWAYS, ...timesOf(series)];
  const sets = times.map((ms) => judgedAfter(series, times.length > 1 ? Math.max(ms, times[1] as number) : ms));
  const chosen = sets.map((judged) =>
    chooseRoles(
      series.map((one) => {
        const meant = judged.get(one);
        const word = wordFor(words, one);
        const placement = word.placement ?? (word.counts_as === undefined ? placementOf(meant) : undefined);
        return { ...one, channel: meant ?? one.channel, word: { ...word, ...(placement && { placement }) } };
      }),
    ),
  );
  return series.map((one, index) => {
    const spans = chosen.flatMap((roles, at) => {
      const untilMs = (times[at + 1] ?? NEVER) + 1;
      return spansOf(roles[index] as RolesByTime).map((span) => ({
        ...span,
        untilMs: Math.min(span.untilMs, untilMs),
      }));
    });
    return { ...rolesOfSpans(spans), meant: sets.at(-1)?.get(one) ?? null };
  });
}

/** Times after which the set of judged series is another one, in order, Unix ms. */
const timesOf = (series: readonly StandingSeries[]): number[] =>
  [...new Set(series.flatMap(({ described, firstReadAtMs }) => (described ? (firstReadAtMs ?? []) : [])))].sort(
    (a, b) => a - b,
  );

/** Circuits of what is judged that also say its place in the home: next to an inverter's roof the grid, the roof and its battery. */
const PLACES: ReadonlyMap<string, Placement> = new Map([
  ['grid', 'grid'],
  ['pv', 'production'],
  ['battery', 'storage'],
]);
const placementOf = (meant: string | undefined): Placement | undefined =>
  PLACES.get(/(?:^|\/)([a-z]+)\/(?:import|export)(?:\/[tl]\d+)?$/.exec(meant ?? '')?.[1] ?? '');

/** The channels of those series that are judged together, right after a time, Unix ms. One that is not there yet is judged as it will be. */
function judgedAfter(series: readonly StandingSeries[], ms: number): Map<StandingSeries, string> {
  const registers = series.flatMap((one) =>
    one.described ? [{ one, described: one.described, label: nativeNameOf(one) }] : [],
  );
  const there = registers.filter(({ one }) => (one.firstReadAtMs ?? ALWAYS) <= ms);
  return new Map([...judge(registers), ...judge(there)].map(([{ one }, channel]) => [one, channel]));
}

/** The times of which stored series of a changed device count as something else than they are to, by series; of the others nothing. */
export function rolesOpen(
  device: Pick<StandingDevice, 'words'>,
  series: readonly StandingSeries[],
): Map<StandingSeries, { fromMs: number; toMs: number }> {
  const target = targetRoles(device, series);
  const open = new Map<StandingSeries, { fromMs: number; toMs: number }>();
  for (const [index, one] of series.entries()) {
    const times = countedOtherwise(one, target[index] as RolesByTime);
    if (times) open.set(one, times);
  }
  return open;
}
