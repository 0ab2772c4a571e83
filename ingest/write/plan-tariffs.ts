import type {
  CountingRule,
  CountingVerdict,
  EnergyInterval,
  SeriesReadingWithVerdict,
} from '#ingest/normalise/counting-rule.ts';
import { createCountingRuleByTime } from '#ingest/normalise/counting-rule-by-time.ts';
import type { RegisterState } from '#ingest/normalise/registers.ts';
import {
  areSeriesRolesEqual,
  createSeriesRolesLookup,
  hasContributingSeriesRole,
  hasMatchingSeriesRole,
  type SeriesRoles,
  type SeriesRolesByTime,
} from '#ingest/normalise/roles-by-time.ts';
import { getLastReading } from '#ingest/normalise/run.ts';
import { selectCountingRule } from '#ingest/normalise/select-counting-rule.ts';
import {
  deriveRegisterIncrements,
  findEnclosingIncrement,
  findEndOfLatestRise,
  hasCountedEnergy,
  type KnownRegisterIncrements,
  moveEnergyAfterTime,
  replaceRegisterIncrements,
} from '#ingest/normalise/tariffs.ts';
import { isElectricityQuantity } from '#src/database/meter.ts';
import { parseChannel } from '#src/devices/channel-name.ts';
import { addIntervalToDeltas, type DeviceDeltas } from './deltas.ts';
import { type DeviceState, getCountingSettingsOfSeries, type SeriesState } from './device-state.ts';
import { getTariffRuleStartMs, type SeriesWritePlan } from './series-plan.ts';
import {
  extendReadingStretchBounds,
  MAX_READING_STRETCH_GAP_MS,
  type ReadingStretch,
  type ReadingStretchRequest,
} from './stretch.ts';

/** Numbers of stored readings to load at first before and after each of `timesToLoad`. */
const FIRST_LOOK = { back: 4, beyond: 4 };

const ALWAYS = {
  fromMs: Number.NEGATIVE_INFINITY,
  toMs: Number.POSITIVE_INFINITY,
  quietFromMs: Number.NEGATIVE_INFINITY,
};

interface RolesState {
  readonly of: SeriesRolesByTime;
  readonly rolesAt: (ms: number) => SeriesRoles;
  readonly sinceMs: number;
}

const rolesStateOf = (of: SeriesRolesByTime, sinceMs: number): RolesState => ({
  of,
  rolesAt: createSeriesRolesLookup(of),
  sinceMs,
});

/** `was`: before the batch. `is`: after the batch. */
type State = 'was' | 'is';

/** A tariff register, and how the batch changes its increments between readings. */
interface Tariff extends Readonly<Record<State, RolesState>> {
  readonly series: SeriesState;
  readonly circuit: string;
  readonly removed: readonly EnergyInterval[];
  readonly added: readonly EnergyInterval[];
  /** Known increments of the register, in one or more time ranges. */
  readonly known: readonly Readonly<Record<State, KnownRegisterIncrements>>[];
  readonly loaded: readonly ReadingStretch[];
  /** Elements of `added` that come after all stored readings. */
  readonly following: ReadonlySet<EnergyInterval>;
  /** Cache of `known` by commodity and direction. */
  readonly ofKind: Map<string, readonly KnownRegisterIncrements[]>;
  /** Times (Unix ms) around which more readings must be loaded. */
  readonly timesToLoad: Set<number>;
}

/**
 * Adds the energy of tariff registers to `deltas`. Only one tariff applies at a time: if another tariff register rises between two readings
 * of a register, the energy belongs to the time after that rise. A changed rise can therefore also move unchanged energy of other
 * registers. `plans`: all series that the batch changes. If stored readings are missing, returns the ranges to load; `deltas` is then
 * incomplete.
 */
export function planTariffEnergy(
  device: DeviceState,
  plans: readonly SeriesWritePlan[],
  stretches: ReadonlyMap<number, readonly ReadingStretch[]>,
  { deltas, followed }: { deltas: DeviceDeltas; followed: DeviceDeltas | null },
): ReadingStretchRequest[] {
  if (plans.every(({ steps }) => steps === null)) return [];
  const tariffs = tariffsOf(device, plans, stretches);
  for (const tariff of tariffs) {
    for (const step of tariff.removed) addStep(step, tariff, 'was', tariffs, deltas, -1);
    for (const step of tariff.added) addStep(step, tariff, 'is', tariffs, deltas, 1);
    if (followed) for (const step of tariff.following) addStep(step, tariff, 'is', tariffs, followed, 1);
    for (const step of stepsAroundChanges(tariff, tariffs)) {
      addStep(step, tariff, 'was', tariffs, deltas, -1);
      addStep(step, tariff, 'is', tariffs, deltas, 1);
    }
  }
  return tariffs.flatMap(stretchesToLoad);
}

function tariffsOf(
  device: DeviceState,
  plans: readonly SeriesWritePlan[],
  stretches: ReadonlyMap<number, readonly ReadingStretch[]>,
): Tariff[] {
  const planned = new Set(plans.map(({ series }) => series.seriesId));
  const others = [...device.series.values()].filter(
    (one) => hasMatchingSeriesRole(one, ({ isTariff }) => isTariff) && !planned.has(one.seriesId),
  );
  const of = (series: SeriesState, plan: SeriesWritePlan | null): Tariff => {
    const loaded = (series.seriesId !== null && stretches.get(series.seriesId)) || [];
    const was = rolesStateOf(series, series.tariffSinceMs);
    const is = plan ? rolesStateOf(plan, getTariffRuleStartMs(plan)) : was;
    const changes = plan?.steps ? changesOf(plan, was, is) : { removed: [], added: [] };
    const isWhole = series.lastReadAtMs === null || plan?.isOfEarlierEdition;
    const before = isWhole ? [{ ...ALWAYS, steps: changes.removed }] : knownOf(device, series, loaded);
    return {
      series,
      circuit: parseChannel(plan?.meant ?? series.meant ?? series.channel).circuit,
      was,
      is,
      ...changes,
      known: before.map((known) => ({
        was: known,
        is: replaceRegisterIncrements(known, changes.removed, changes.added),
      })),
      loaded,
      following: new Set(plan?.following),
      ofKind: new Map(),
      timesToLoad: new Set(),
    };
  };
  return [
    ...plans.filter(({ steps }) => steps !== null).map((plan) => of(plan.series, plan)),
    ...others.map((series) => of(series, null)),
  ];
}

/** Returns the removed and added increments of a tariff register. */
function changesOf({ isOfEarlierEdition, steps }: SeriesWritePlan, was: RolesState, is: RolesState) {
  const { removed, added } = steps as NonNullable<SeriesWritePlan['steps']>;
  if (isOfEarlierEdition || removed.length === 0 || added.length === 0) return { removed, added };
  const key = ({ startMs, endMs, importMilliwattHours, exportMilliwattHours, isLate = false }: EnergyInterval) =>
    `${startMs} ${endMs} ${importMilliwattHours} ${exportMilliwattHours} ${isLate}`;
  const [before, after] = [new Set(removed.map(key)), new Set(added.map(key))];
  const isOther = ({ endMs }: EnergyInterval) => !areSeriesRolesEqual(was.rolesAt(endMs), is.rolesAt(endMs));
  return {
    removed: removed.filter((step) => isOther(step) || !after.has(key(step))),
    added: added.filter((step) => isOther(step) || !before.has(key(step))),
  };
}

/** Returns the increments that are known from the state of the series and from loaded readings. */
function knownOf(
  { settings, computedWith }: DeviceState,
  series: SeriesState,
  loaded: readonly ReadingStretch[],
): KnownRegisterIncrements[] {
  if (!hasContributingSeriesRole(series)) return [{ ...ALWAYS, steps: [] }];
  const ruleOf = (roles: SeriesRoles) =>
    selectCountingRule(
      series.channel,
      series.kind,
      roles,
      getCountingSettingsOfSeries(computedWith ?? settings, series),
    );
  const rule = series.earlierRoles
    ? createCountingRuleByTime(series, ruleOf)
    : (ruleOf(series.roles) as CountingRule<unknown>);
  const known = loaded.map((stretch) => stepsOfStretch(rule, stretch));
  const at = createSeriesRolesLookup(series);
  const last = at(series.lastReadAtMs ?? Number.NEGATIVE_INFINITY);
  const { run } = series.tail !== null && ruleOf(last)?.knows(series.tail) ? (series.tail as RegisterState) : {};
  if (!run) return known;
  // The counting rule also reports energy from times at which the series contributes to no total. `isCounted` excludes this energy.
  const isCounted = ({ import: isImport, export: isExport }: SeriesRoles) => isImport || isExport;
  // The role may change during the readings in `run`. All energy of `run` gets the direction (import or export) of the role at its last
  // reading.
  const ofRun = deriveRegisterIncrements(run, at(getLastReading(run).readAtMs).export ? 'export' : 'import');
  return [{ ...ofRun, steps: ofRun.steps.filter(({ endMs }) => isCounted(at(endMs))) }, ...known];
}

/** Verdicts of readings whose value is not accepted. */
const UNCOUNTED: ReadonlySet<CountingVerdict | null> = new Set<CountingVerdict>([
  'glitch',
  'held',
  'passed',
  'jitter',
  'excluded',
]);

function stepsOfStretch(
  rule: CountingRule<unknown>,
  { before, points, lastMs, isFromStart, isToEnd }: ReadingStretch,
): KnownRegisterIncrements {
  const judged: SeriesReadingWithVerdict[] = [...before, ...points];
  const first = judged.findIndex(({ verdict }) => !UNCOUNTED.has(verdict));
  const counted = first === -1 ? [] : judged.slice(first);
  const steps = rule.counted?.(rule.initial, counted) ?? [];
  const { NEGATIVE_INFINITY: start, POSITIVE_INFINITY: end } = Number;
  const fromMs = isFromStart ? start : (counted[0]?.readAtMs ?? end);
  const toMs = isToEnd ? end : Math.max(lastMs, judged.at(-1)?.readAtMs ?? start);
  return { steps, fromMs, toMs, quietFromMs: fromMs };
}

/** Returns the commodity and direction of a tariff register. Null if the roles are not those of a tariff register. */
function kindOf({ isTariff, export: isExport, meter }: SeriesRoles): string | null {
  if (!isTariff) return null;
  if (meter !== null && !isElectricityQuantity(meter)) return meter;
  return isExport ? 'export' : 'import';
}

/**
 * Whether the other tariff register has the same commodity and direction in the same circuit (such as the grid or the battery). Only one
 * tariff register of a circuit counts at a time.
 */
const sharesCircuit = (tariff: Tariff, other: Tariff, state: State, kind: string): boolean =>
  other !== tariff &&
  other.circuit === tariff.circuit &&
  hasMatchingSeriesRole(other[state].of, (roles) => kindOf(roles) === kind);

function knownStepsOfKind(tariff: Tariff, state: State, kind: string): readonly KnownRegisterIncrements[] {
  const { of, rolesAt: at } = tariff[state];
  const all = tariff.known.map((known) => known[state]);
  if (!of.earlierRoles) return all;
  const key = `${state} ${kind}`;
  const found =
    tariff.ofKind.get(key) ??
    all.map((known) => ({ ...known, steps: known.steps.filter(({ endMs }) => kindOf(at(endMs)) === kind) }));
  tariff.ofKind.set(key, found);
  return found;
}

/**
 * Searches each range of known increments, and returns the first result. If there is none, records the time around which readings must be
 * loaded.
 */
function searchSteps<T>(
  tariff: Tariff,
  all: readonly KnownRegisterIncrements[],
  atMs: number,
  question: (known: KnownRegisterIncrements) => T | null | undefined,
): T | null {
  for (const known of all) {
    const answer = question(known);
    if (answer !== undefined) return answer;
  }
  tariff.timesToLoad.add(atMs);
  return null;
}

/**
 * Adds the energy of an increment to `deltas` (`sign` 1) or subtracts it (-1). If another tariff register rises in the meantime, the energy
 * belongs to the time after that rise.
 */
function addStep(
  step: EnergyInterval,
  tariff: Tariff,
  state: State,
  tariffs: readonly Tariff[],
  deltas: DeviceDeltas,
  sign: 1 | -1,
): void {
  const { rolesAt: at, sinceMs } = tariff[state];
  const roles = at(step.endMs);
  const kind = kindOf(roles);
  let afterMs = step.startMs;
  if (kind !== null && hasCountedEnergy(step) && step.endMs > sinceMs) {
    for (const other of tariffs) {
      if (!sharesCircuit(tariff, other, state, kind)) continue;
      const latest = searchSteps(other, knownStepsOfKind(other, state, kind), step.endMs, (known) =>
        findEndOfLatestRise(known, step),
      );
      if (latest !== null) afterMs = Math.max(afterMs, latest);
    }
  }
  addIntervalToDeltas(deltas, afterMs === step.startMs ? step : moveEnergyAfterTime(step, afterMs), roles, sign);
}

/**
 * Returns the unchanged increments of a tariff register whose energy moves to another time, because another tariff register has changed.
 */
function stepsAroundChanges(tariff: Tariff, tariffs: readonly Tariff[]): Iterable<EnergyInterval> {
  const found = new Map<number, EnergyInterval>();
  const changed = new Set(tariff.removed.map(({ endMs }) => endMs));
  const was = tariff.known.map((known) => known.was);
  const look = (step: EnergyInterval, other: Tariff, state: State) => {
    const kind = kindOf(other[state].rolesAt(step.endMs));
    if (kind === null || !hasCountedEnergy(step) || !sharesCircuit(other, tariff, state, kind)) return;
    const around = searchSteps(tariff, was, step.endMs, (known) => findEnclosingIncrement(known, step));
    if (around && !changed.has(around.endMs)) found.set(around.endMs, around);
  };
  for (const other of tariffs) {
    for (const step of other.removed) look(step, other, 'was');
    for (const step of other.added) look(step, other, 'is');
  }
  return found.values();
}

/** Returns the ranges of stored readings to load around `timesToLoad`. They are larger than the ranges that are already loaded. */
function stretchesToLoad({ series: { seriesId }, timesToLoad, loaded }: Tariff): ReadingStretchRequest[] {
  if (seriesId === null) return [];
  const wanted: ReadingStretchRequest[] = [];
  const times = [...timesToLoad].sort((a, b) => a - b);
  for (let first = 0; first < times.length; ) {
    let last = first;
    while (
      last + 1 < times.length &&
      (times[last + 1] as number) - (times[last] as number) <= MAX_READING_STRETCH_GAP_MS
    )
      last++;
    const [firstMs, lastMs] = [times[first] as number, times[last] as number];
    let { back, beyond } = FIRST_LOOK;
    for (const known of loaded) {
      if (known.firstMs > firstMs || known.lastMs < lastMs) continue;
      back = Math.max(back, extendReadingStretchBounds(known, 'back').back);
      beyond = Math.max(beyond, extendReadingStretchBounds(known, 'beyond').beyond);
    }
    wanted.push({ seriesId, firstMs, lastMs, back, beyond, lookFor: 'steps' });
    first = last + 1;
  }
  return wanted;
}
