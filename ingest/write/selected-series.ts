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
import type { DeviceDeltas } from './deltas.ts';
import { newSeries, refusedUntilMs, type StandingDevice, type StandingSeries, seriesName } from './device-state.ts';
import { judgedOtherwise } from './plan-piece.ts';
import { emptyPlan, type SeriesPlan } from './series-plan.ts';
import type { Stretch, WantedStretch } from './stretch.ts';
import { type Firsts, firstsAfter, rolesOpen, type Target, targetRoles } from './target-roles.ts';

/** A series that a batch may concern, with its new readings. `firsts`: its first times once they are stored. */
export interface Found {
  series: StandingSeries;
  readonly points: readonly NewPoint[];
  readonly firsts: Firsts;
}

/** The series of a batch's readings, or the stretches that must be loaded before their roles can be chosen. */
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

/** A series with its empty plan and its new readings. */
interface Work {
  plan: SeriesPlan;
  points: readonly NewPoint[];
}

/** The series that a batch concerns: those that have readings in it, and those whose roles change. */
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
  // If the past of a stored series gets another role, the change is applied in chunks. All series change at the same time, because one may exclude another.
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
    const edits = withinCounted(editsOfSeries(device.edits ?? [], series.channel, series.kind, pieceUntilMs), will);
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
 * Whether a software update changes the role of stored readings of a series: the update marked the device, or the series is judged together with
 * the others of its device for the first time. (A series that was first stored after the update has been judged from its start.)
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

/** Whether the role of a series changes only after its last stored reading, so that its law continues from its state. */
function isAhead(series: StandingSeries, target: RolesByTime): boolean {
  const times = countedOtherwise(series, target);
  if (times === null || series.lastReadAtMs === null) return true;
  return times.fromMs > series.lastReadAtMs && countsUntilMs(series) > series.lastReadAtMs;
}

/** Limits excluding edits to the time in which the series counts. */
function withinCounted(edits: SeriesEdits, will: RolesByTime): SeriesEdits {
  const { isExcluded } = edits;
  const endMs = isExcluded ? countsUntilMs(will) : Number.POSITIVE_INFINITY;
  if (!isExcluded || endMs === Number.POSITIVE_INFINITY) return edits;
  return { ...edits, isExcluded: (point) => point.readAtMs < endMs && isExcluded(point) };
}

/** The roles that series should have. If a new series has the same name as another, its channel is appended to its name. */
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

/** Whether an earlier version of the law placed the steps of a tariff. The plan recomputes them by the current version. */
const isPlacedBefore = ({ computedWith }: StandingDevice, series: StandingSeries, will: RolesByTime): boolean =>
  computedWith !== null &&
  series.lastReadAtMs !== null &&
  hasRole(will, ({ isTariff }) => isTariff) &&
  Number.isFinite(series.tariffSinceMs);
