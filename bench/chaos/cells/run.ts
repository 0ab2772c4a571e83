import { setTimeout as pause } from 'node:timers/promises';
import { findMissingRequirements } from '../../../test/support/setup/needs.ts';
import { type BenchmarkGoal, formatGoal, isGoalMet } from '../../answer.ts';
import { describeTimeout, scaleTimeLimitMs } from '../../time-limits.ts';
import {
  type PublishingHome,
  type PublishingHomeGroup,
  startHomes,
  waitUntilHomesFinish,
  waitUntilHomesResume,
} from '../cluster/homes.ts';
import {
  computeLongestGapSeconds,
  describeHomesWithMissingReadings,
  describeLongestPubackWaits,
  type FaultEffect,
  formatFaultEffect,
  injectAndMeasureFault,
  listAcknowledgementTimesMs,
  MAX_RECOVERY_MS,
  printDeliveryRetries,
  printRunDifferences,
  printToStderr,
  selectFaultsByName,
} from '../cluster/measure-fault.ts';
import { compareFinalState, countOutOfOrderReadings, type FinalStateVerdict } from '../cluster/verdict.ts';
import { type CellFault, createCellFaults } from './faults.ts';
import { findUndetectedErrors, injectErrors, waitUntilErrorsCanBeInjected } from './inject-errors.ts';
import { type InstallationWithCells, installCells } from './installation.ts';

/** Homes of each cell. */
const HOMES = 15;
const CALM_S = 10;
/** Time reserved for the comparison at the end of a run. */
const JUDGE_MS = 60_000;
/**
 * Maximum time to wait until each home has an event and a completed hour, in which `injectErrors` can make errors. A simulated hour lasts
 * 90 s.
 */
const PLANTABLE_MS = 120_000;
const NEEDED = /^Patroni/;
/** Maximum wait of a home for a PUBACK during a fault of the other cell, in seconds. */
const MAX_SPARED_WAIT_S = 3;
/** Maximum time in ms for which neither cell may serve an account that is being moved. */
const MAX_HELD_MS = 2_000;

/**
 * Effect of a fault. `spared`: if the fault is in one cell, the longest time in seconds without a PUBACK for the homes of the other cell.
 */
interface CellsRow extends FaultEffect {
  spared: number | null;
}

/** Runs `npm run chaos -- cells [names of faults] [--quick] [--json]`. Returns the exit code. */
export async function runCellsChaos(flags: readonly string[]): Promise<number> {
  const missing = findMissingRequirements().filter(({ name }) => NEEDED.test(name));
  for (const { name, how } of missing) console.log(`NOT RUN: ${name} is missing. To have it: ${how}.`);
  if (missing.length > 0) return 2;
  const isQuick = flags.includes('--quick');
  const words = flags.filter((flag) => !flag.startsWith('--'));
  printToStderr(
    'two routers, and two cells, each with two databases, two ingest processes and one of each other role …',
  );
  const installation = await installCells();
  let homes: PublishingHomeGroup | undefined;
  try {
    const { cells, routers } = installation;
    homes = await startHomes(
      { places: cells.map(({ env, ...pools }) => ({ ...pools, cell: env.CELL })), entrances: routers.all },
      HOMES,
      isQuick ? 5 : 25,
    );
    await begin(homes);
    const calm = await countOutOfOrder(installation);
    const { faults, heldMs } = createCellFaults(installation, homes.all);
    const chosen = (selectFaultsByName(faults, words) as CellFault[]).filter((one) => one.isQuick || !isQuick);
    const rows: CellsRow[] = [];
    for (const fault of chosen) rows.push(await endure(installation, homes, fault));
    const plan = planErrors(installation, homes.all, rows);
    await waitUntilErrorsCanBeInjected(...plan, scaleTimeLimitMs(PLANTABLE_MS));
    await waitUntilHomesFinish(homes, scaleTimeLimitMs(JUDGE_MS) / 2);
    printToStderr('comparing, and comparing again with planted errors …');
    const { verdict, missed } = await judge(installation, homes.all, plan);
    return report({ rows, calm, verdict, missed, heldMs }, flags.includes('--json'));
  } finally {
    await homes?.close();
    await installation.remove();
  }
}

async function begin({ all }: PublishingHomeGroup): Promise<void> {
  if (!(await waitUntilHomesResume(all, scaleTimeLimitMs(MAX_RECOVERY_MS))))
    throw new Error(
      `${describeTimeout('not every home has a reading stored, before any fault', MAX_RECOVERY_MS)}\n${describeHomesWithMissingReadings(all).join('\n')}`,
    );
  printToStderr(`${all.length} homes publish; ${CALM_S} s of calm …`);
  await pause(CALM_S * 1_000);
}

async function countOutOfOrder({ cells }: InstallationWithCells): Promise<number> {
  const counts = await Promise.all(cells.map(({ pool }) => countOutOfOrderReadings(pool)));
  return counts.reduce((sum, count) => sum + count, 0);
}

async function endure(
  { cells, receiver }: InstallationWithCells,
  homes: PublishingHomeGroup,
  fault: CellFault,
): Promise<CellsRow> {
  printToStderr(`${new Date().toISOString()} ${fault.name} …`);
  const row = await injectAndMeasureFault(
    {
      ...{ homes, receiver },
      prepare: async () => {},
      ready: () => Promise.all(cells.map(({ patroni }) => patroni.ready())),
      diagnosis: async () => ['late:', ...describeHomesWithMissingReadings(homes.all)].join('\n'),
    },
    fault,
  );
  const { spared } = fault;
  const others = homes.all.filter(({ userId }) => userId.startsWith('usr_c2_') === (spared?.name === 'c2'));
  const wait = spared ? computeLongestGapSeconds(others, listAcknowledgementTimesMs, row.fromMs, row.toMs) : null;
  printToStderr(`  ${formatFaultEffect(row)}${wait === null ? '' : `; the other cell without PUBACK ${wait} s`}`);
  if (wait !== null && wait > MAX_SPARED_WAIT_S)
    printToStderr(describeLongestPubackWaits(others, row.fromMs, row.toMs).join('\n'));
  return { ...row, spared: wait };
}

/** Selects the homes in whose data errors are made: homes that stay in cell c2 during the whole run. */
function planErrors(
  { cells, receiver }: InstallationWithCells,
  homes: readonly PublishingHome[],
  rows: readonly CellsRow[],
) {
  const [, c2] = cells;
  const stayed = homes.filter(({ userId }) => userId.startsWith('usr_c2_'));
  return [c2.pool, stayed, { receiver, cutOff: rows.filter((row) => row.cutsDeliveries) }] as const;
}

/** Compares the final state with the expected state. To test the comparison, makes one error of each kind and compares again. */
async function judge(
  { cells, receiver }: InstallationWithCells,
  homes: readonly PublishingHome[],
  plan: ReturnType<typeof planErrors>,
) {
  const [, , { cutOff }] = plan;
  const pools = cells.map(({ pool }) => pool);
  const compare = (withinMs: number) => compareFinalState({ pools, receiver }, homes, { cutOff, withinMs });
  const verdict = await compare(scaleTimeLimitMs(JUDGE_MS));
  await injectErrors(...plan);
  const planted = await compare(0);
  return { verdict, missed: findUndetectedErrors(verdict.faults, planted.faults) };
}

function goalsOf({ rows, verdict, missed, heldMs }: Omit<Report, 'calm'>): BenchmarkGoal[] {
  const { lost, doubled, strange, wrongHour, untold, toldWrongly, toldAgain } = verdict.faults;
  const spared = rows.flatMap((row) => (row.spared === null ? [] : [row.spared]));
  const none = { atMost: 0 };
  return [
    { what: 'Acknowledged readings that are not stored', measured: lost, goal: none },
    { what: 'Readings stored twice', measured: doubled, goal: none },
    { what: 'Readings or hours that are wrong', measured: strange + wrongHour, goal: none },
    { what: 'Alerts that are missing, wrong or repeated', measured: untold + toldWrongly + toldAgain, goal: none },
    {
      what: 'Faults after which readings did not go on',
      measured: rows.filter((row) => !row.goesOn).length,
      goal: none,
    },
    { what: 'Planted errors that the comparison missed', measured: missed.length, goal: none },
    ...(spared.length === 0
      ? []
      : [
          {
            what: 'Longest time without a PUBACK in the cell that had no fault',
            measured: Math.max(...spared),
            unit: ' s',
            goal: { atMost: MAX_SPARED_WAIT_S },
          },
        ]),
    ...(heldMs.length === 0
      ? []
      : [
          {
            what: 'Longest time of a moved account in neither cell',
            measured: Math.max(...heldMs),
            unit: ' ms',
            goal: { atMost: MAX_HELD_MS },
          },
        ]),
  ];
}

interface Report {
  rows: readonly CellsRow[];
  calm: number;
  verdict: FinalStateVerdict;
  missed: readonly string[];
  heldMs: readonly number[];
}

/**
 * Prints the result. Returns the exit code. The run does not fail if a goal for a time is missed, because times on a busy machine are
 * longer.
 */
function report({ calm, ...all }: Report, isJson: boolean): number {
  const { rows, missed } = all;
  const { faults, differences, retries, ...counted } = all.verdict;
  const goals = goalsOf(all);
  const result = { outOfOrderInCalm: calm, ...counted, ...faults };
  if (isJson) {
    const judged = goals.map((one) => ({ ...one, met: isGoalMet(one) }));
    console.log(JSON.stringify({ faults: rows, result, differences, retries, missed, goals: judged }));
  } else {
    console.table(
      rows.map(({ fault, acknowledged, stored, alert, spared, goal }) => ({
        fault,
        acknowledged,
        stored,
        alert,
        spared,
        goal,
      })),
    );
    console.table(result);
    for (const one of goals) console.log(formatGoal(one));
  }
  printRunDifferences(differences);
  printDeliveryRetries(retries);
  for (const what of missed) printToStderr(`WRONG: the comparison did not find a planted error: ${what}`);
  return rows.every((row) => row.goesOn) && differences.length + calm + missed.length === 0 ? 0 : 1;
}
