import { editsOfSeries, type SeriesEdits } from '#ingest/normalise/edits.ts';
import {
  countedOtherwise,
  countsUntilMs,
  hasRole,
  type RolesByTime,
  rolesUpTo,
} from '#ingest/normalise/roles-by-time.ts';
import { nativeNameOf } from '#src/devices/channel-name.ts';
import type { NewPoint, SeriesBatch } from './collect.ts';
import type { DeviceDeltas } from './device-deltas.ts';
import { type Firsts, firstsAfter } from './firsts.ts';
import { judgedOtherwise } from './plan-piece.ts';
import { emptyPlan, type SeriesPlan } from './series-plan.ts';
import { newSeries, refusedUntilMs, type StandingDevice, type StandingSeries, seriesName } from './standing.ts';
import type { Stretch, WantedStretch } from './stretch.ts';
import { rolesOpen, type Target, targetRoles } from './target-roles.ts';

/** A series that a batch may concern: its new readings, and the firsts that it has with them. */
export interface Found {
  series: StandingSeries;
  readonly points: readonly NewPoint[];
  readonly firsts: Firsts;
}

/** The series of a batch's readings; or the stretches that must be known before it can be said what counts. */
export function findSeries(
  device: StandingDevice,
  arrived: ReadonlyMap<string, SeriesBatch>,
  stretches: ReadonlyMap<number, readonly Stretch[]>,
): Found[] | { wanted: WantedStretch[] } {
  const wanted: WantedStretch[] = [];
  const found: Found[] = [];
  for (const [name, batch] of arrived) {
    const series = device.series.get(name) ?? newSeries(batch);
    const { seriesId } = series;
    const valid = batch.points.filter(({ readAtMs }) => readAtMs > refusedUntilMs(series));
    const firsts = firstsAfter(series, valid, (seriesId !== null && stretches.get(seriesId)) || []);
    if (!('wanted' in firsts)) found.push({ series, points: batch.points, firsts });
    else if (seriesId !== null) wanted.push({ ...firsts.wanted, seriesId });
  }
  return wanted.length > 0 ? { wanted } : found;
}

/** A series of a batch: its plan, still empty, and its new readings. */
interface Work {
  plan: SeriesPlan;
  points: readonly NewPoint[];
}

/** The series that a batch concerns: those of its readings, and those that count as something else from now on. */
export function selectWork(
  device: StandingDevice,
  arrived: readonly Found[],
  { deltas, pieceUntilMs }: { deltas: DeviceDeltas; pieceUntilMs: number },
): { work: Work[]; areRolesOpen: boolean; isRecounted: boolean } {
  const found = [...arrived];
  const isChosen = device.computedWith !== null || arrived.some(hasOtherFirsts);
  if (isChosen) {
    const names = new Set(arrived.map(({ series }) => seriesName(series.channel, series.kind)));
    for (const [name, series] of device.series)
      if (!names.has(name)) found.push({ series, points: [], firsts: firstsOf(series) });
  }
  const targets: readonly Target[] = isChosen
    ? chosenFor(device, found)
    : found.map(({ series }) => ({ ...series, meant: series.meant ?? null }));
  // Where the past of something that is stored is to count otherwise, that is worked in by pieces; and all at one time, as one excludes another.
  const isAtOnce =
    (device.computedWith === null || rolesOpen(device, [...device.series.values()]).size === 0) &&
    found.every(({ series }, index) => isAhead(series, targets[index] as RolesByTime));
  const work: Work[] = [];
  let areRolesOpen = false;
  let isRecounted = false;
  for (const [index, { series, points, firsts }] of found.entries()) {
    const target = targets[index] as Target;
    const { meant } = target;
    const will = isAtOnce ? target : rolesUpTo(series, target, pieceUntilMs);
    if (countedOtherwise(will, target)) areRolesOpen = true;
    if (isRecountedByUpdate(device, series, target)) isRecounted = true;
    const edits = tellingOf(editsOfSeries(device.edits ?? [], series.channel, series.kind, pieceUntilMs), will);
    const isOfEarlierEdition = isPlacedBefore(device, series, will);
    const isConcerned =
      points.length > 0 ||
      isOfEarlierEdition ||
      meant !== (series.meant ?? null) ||
      countedOtherwise(series, will) !== null ||
      edits.changed !== null ||
      judgedOtherwise(device, series, pieceUntilMs) !== null;
    if (isConcerned)
      work.push({ plan: emptyPlan(will, { series, meant, isOfEarlierEdition, firsts, edits, deltas }), points });
  }
  return { work, areRolesOpen, isRecounted };
}

/**
 * Whether an update makes stored readings of a series count otherwise: the device has its mark, or the series is judged with the others of its device
 * for the first time. (A series that is stored since then has been judged from the start.)
 */
function isRecountedByUpdate(device: StandingDevice, series: StandingSeries, target: Target): boolean {
  const isJudgedFirst = series.seriesId !== null && (series.meant ?? null) === null && target.meant !== null;
  if ((!device.isMarkedByUpdate && !isJudgedFirst) || series.lastReadAtMs === null) return false;
  const times = countedOtherwise(series, target);
  return (
    times !== null &&
    times.fromMs <= series.lastReadAtMs &&
    times.toMs > (series.firstReadAtMs ?? Number.NEGATIVE_INFINITY)
  );
}

const firstsOf = ({ firstReadAtMs, nonzeroAtMs }: Firsts): Firsts => ({ firstReadAtMs, nonzeroAtMs });

const hasOtherFirsts = ({ series, firsts }: Found): boolean =>
  series.seriesId === null ||
  series.firstReadAtMs !== firsts.firstReadAtMs ||
  series.nonzeroAtMs !== firsts.nonzeroAtMs;

/** Whether what a series is to count as is otherwise past all that is stored of it alone, and its law goes on from where it stands. */
function isAhead(series: StandingSeries, target: RolesByTime): boolean {
  const times = countedOtherwise(series, target);
  if (times === null || series.lastReadAtMs === null) return true;
  return times.fromMs > series.lastReadAtMs && countsUntilMs(series) > series.lastReadAtMs;
}

/** Of readings past all that counts none is passed over. */
function tellingOf(edits: SeriesEdits, will: RolesByTime): SeriesEdits {
  const { isExcluded } = edits;
  const endMs = isExcluded ? countsUntilMs(will) : Number.POSITIVE_INFINITY;
  if (!isExcluded || endMs === Number.POSITIVE_INFINITY) return edits;
  return { ...edits, isExcluded: (point) => point.readAtMs < endMs && isExcluded(point) };
}

/** What series are to count as; a new one that is called like another has its channel in its name. */
function chosenFor(device: StandingDevice, found: Found[]): Target[] {
  const taken = new Set(found.flatMap(({ series }) => (series.seriesId === null ? [] : nativeNameOf(series))));
  for (const one of found) {
    const { seriesId, nativeName, channel, kind } = one.series;
    if (seriesId !== null) continue;
    if (nativeName && taken.has(nativeName)) {
      one.series = { ...one.series, nativeName: `${nativeName} (${nativeNameOf({ channel, kind })})` };
    }
    taken.add(nativeNameOf(one.series));
  }
  return targetRoles(
    device,
    found.map(({ series, firsts }) => ({ ...series, ...firsts })),
  );
}

/** Whether the steps of a tariff lie where an earlier edition of the law had them: they are brought up to the law of now on the way. */
const isPlacedBefore = ({ computedWith }: StandingDevice, series: StandingSeries, will: RolesByTime): boolean =>
  computedWith !== null &&
  series.lastReadAtMs !== null &&
  hasRole(will, ({ isTariff }) => isTariff) &&
  Number.isFinite(series.tariffSinceMs);
