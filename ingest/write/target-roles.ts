import { judge } from '#ingest/decoders/registers-of-a-device/judge.ts';
import { chooseRoles } from '#ingest/normalise/channels.ts';
import { countedOtherwise, type RolesByTime, rolesOfSpans, spansOf } from '#ingest/normalise/roles-by-time.ts';
import type { Placement } from '#src/database/enums.ts';
import { nativeNameOf, wordFor } from '#src/devices/channel-name.ts';
import type { StandingDevice, StandingSeries } from './standing.ts';

const { NEGATIVE_INFINITY: ALWAYS, POSITIVE_INFINITY: NEVER } = Number;

/** The roles that a series should have, by time. `meant`: the channel that decides its latest role; null: the channel that it is stored under. */
export interface Target extends RolesByTime {
  readonly meant: string | null;
}

/**
 * The roles that the series of a device should have. They follow from the owner's current settings and, for series that were announced with names, from
 * a judgement of all these names together. Only series with a reading before a time belong to the set of that time: a later series changes
 * nothing in the past (energy.md, "Registers of one device", rule 7). `series`: all stored and new series of the device.
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

/** Times after which the set of judged series differs, in order, Unix ms. */
const timesOf = (series: readonly StandingSeries[]): number[] =>
  [...new Set(series.flatMap(({ described, firstReadAtMs }) => (described ? (firstReadAtMs ?? []) : [])))].sort(
    (a, b) => a - b,
  );

/** Placements that follow from the circuit of a judged channel: a hybrid inverter has registers of the grid, the roof and the battery. */
const PLACES: ReadonlyMap<string, Placement> = new Map([
  ['grid', 'grid'],
  ['pv', 'production'],
  ['battery', 'storage'],
]);
const placementOf = (meant: string | undefined): Placement | undefined =>
  PLACES.get(/(?:^|\/)([a-z]+)\/(?:import|export)(?:\/[tl]\d+)?$/.exec(meant ?? '')?.[1] ?? '');

/** The channels of series that are judged together, right after a time (Unix ms). A series without a reading by then gets its later channel. */
function judgedAfter(series: readonly StandingSeries[], ms: number): Map<StandingSeries, string> {
  const registers = series.flatMap((one) =>
    one.described ? [{ one, described: one.described, label: nativeNameOf(one) }] : [],
  );
  const there = registers.filter(({ one }) => (one.firstReadAtMs ?? ALWAYS) <= ms);
  return new Map([...judge(registers), ...judge(there)].map(([{ one }, channel]) => [one, channel]));
}

/** By stored series of a changed device: the time in which its role differs from its target. Series without a difference are left out. */
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
