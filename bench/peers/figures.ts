import type { BenchmarkGoal } from '../answer.ts';
import type { StoredReadingCounts } from '../chaos/stored-readings.ts';
import type { CpuPerReading } from '../cluster.ts';
import { computeMedian } from '../support.ts';

/** Result of a trial in which a program is killed while devices publish. */
export interface KillTrialResult {
  /** Number of readings whose PUBACK the devices have received. */
  acknowledged: number;
  /** Number of acknowledged readings that were never stored. */
  lost: number;
  /** Number of readings that were stored or counted more than once. */
  doubled: number;
  kills: number;
}

/** Result of one round: the rate under a flood of messages, µs of CPU time per reading, and the result of the trial with kills. */
export interface ComparisonRoundResult {
  perSecond: number;
  cpuUs: CpuPerReading;
  trial: KillTrialResult;
}

/** Results of the rounds of one program, or the reason why it has none. */
export interface ComparedProgramResult {
  name: string;
  /** Whether the broker runs inside the program, so that the program's CPU time includes the broker's. */
  hasBrokerInside?: boolean;
  rounds: readonly ComparisonRoundResult[];
  /** Reason why the program has no figures: `not run: …` or `failed: …`. */
  reason?: string;
}

/** Figures of a program in the table: medians of the rates and CPU times, and sums of the trials with kills. */
interface ComparedProgramSummary extends KillTrialResult {
  perSecond: number;
  cpuUs: CpuPerReading;
}

/** Compares the number of readings that devices have sent with the number that is stored. */
export const evaluateKillTrial = (
  acknowledged: number,
  { stored, double }: StoredReadingCounts,
  kills: number,
): KillTrialResult => ({
  acknowledged,
  lost: Math.max(0, acknowledged - stored),
  doubled: double,
  kills,
});

/** Returns the medians and sums of a program's rounds; null if it has no round. */
export function summariseComparisonRounds(rounds: readonly ComparisonRoundResult[]): ComparedProgramSummary | null {
  if (rounds.length === 0) return null;
  const middle = (of: (round: ComparisonRoundResult) => number) => computeMedian(rounds.map(of));
  const cpu = (part: keyof CpuPerReading) => Math.round(middle(({ cpuUs }) => cpuUs[part]) * 10) / 10;
  const total = (of: keyof KillTrialResult) => rounds.reduce((sum, { trial }) => sum + trial[of], 0);
  return {
    perSecond: Math.round(middle(({ perSecond }) => perSecond)),
    cpuUs: { worker: cpu('worker'), broker: cpu('broker'), postgres: cpu('postgres') },
    acknowledged: total('acknowledged'),
    lost: total('lost'),
    doubled: total('doubled'),
    kills: total('kills'),
  };
}

const HEAD = ['program', 'readings/s', 'CPU µs: program', 'broker', 'PostgreSQL', 'lost', 'doubled', 'acknowledged'];

/** Formats the results as a Markdown table, as docs/benchmarks.md shows it. A program that did not run has a row with the reason. */
export function formatComparisonTable(results: readonly ComparedProgramResult[]): string[] {
  const rows = results.map(({ name, hasBrokerInside, rounds, reason }) => {
    const figures = summariseComparisonRounds(rounds);
    if (figures === null || reason !== undefined) return [name, reason ?? 'not run', ...HEAD.slice(2).map(() => '')];
    const { perSecond, cpuUs, acknowledged, lost, doubled } = figures;
    return [
      name,
      perSecond.toLocaleString('en'),
      cpuUs.worker.toFixed(1),
      hasBrokerInside ? 'in the program' : cpuUs.broker.toFixed(1),
      cpuUs.postgres.toFixed(1),
      lost.toLocaleString('en'),
      doubled.toLocaleString('en'),
      acknowledged.toLocaleString('en'),
    ];
  });
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(HEAD), line(HEAD.map((_, index) => (index === 0 ? '---' : '---:'))), ...rows.map(line)];
}

/** Names of the table's rows that the goals compare. */
export const COMPARISON_FIGURE_LABELS = {
  service: 'this service, mosquitto',
  embedded: 'this service, embedded broker',
  script: 'naive script, mosquitto',
} as const;

/** Returns the goals. This service must neither lose readings nor store them twice. Its rate and CPU time have no goal. */
export function getComparisonGoals(results: readonly ComparedProgramResult[]): BenchmarkGoal[] {
  const of = (name: string) => summariseComparisonRounds(results.find((one) => one.name === name)?.rounds ?? []);
  const [service, script] = [of(COMPARISON_FIGURE_LABELS.service), of(COMPARISON_FIGURE_LABELS.script)];
  const share = (part: number, whole: number) => Math.round((100 * part) / whole) / 100;
  const trials = [COMPARISON_FIGURE_LABELS.service, COMPARISON_FIGURE_LABELS.embedded].flatMap((name) => {
    const figures = of(name);
    if (figures === null) return [];
    const what = `Readings that were lost or doubled over ${figures.kills} kills of ${name}`;
    return [{ what, measured: figures.lost + figures.doubled, goal: { atMost: 0 } }];
  });
  if (service === null || script === null) return trials;
  const rate = share(service.perSecond, script.perSecond);
  const cpu = share(service.cpuUs.worker, script.cpuUs.worker);
  return [
    ...trials,
    { what: 'Readings/s of this service over mosquitto ÷ the naive script', measured: rate, goal: null },
    { what: 'CPU time of this service over mosquitto ÷ the naive script', measured: cpu, goal: null },
  ];
}
