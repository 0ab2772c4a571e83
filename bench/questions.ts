import { readFileSync } from 'node:fs';
import type { BenchmarkResult } from './answer.ts';

/** Every benchmark of `npm run bench`, by name. */
export const BENCHMARKS: Record<
  string,
  () => Promise<{ runBenchmark: (files: readonly string[]) => Promise<BenchmarkResult> }>
> = {
  ingest: () => import('./ingest.ts'),
  peers: () => import('./peers.ts'),
  cluster: () => import('./cluster.ts'),
  cells: () => import('./cells.ts'),
  insights: () => import('./insights.ts'),
  api: () => import('./api.ts'),
  tiers: () => import('./tiers.ts'),
  scale: () => import('./scale.ts'),
  flood: () => import('./flood.ts'),
  decoders: () => import('./decoders.ts'),
  growth: () => import('./growth.ts'),
  alerts: () => import('./alerts.ts'),
  stream: () => import('./stream.ts'),
  upgrade: () => import('./upgrade.ts'),
  onboard: () => import('./onboard.ts'),
  costs: () => import('./costs.ts'),
  forecast: () => import('./forecast.ts'),
  remarks: () => import('./remarks.ts'),
  groups: () => import('./groups.ts'),
  fleet: () => import('./fleet.ts'),
  readings: () => import('./readings.ts'),
  calculations: () => import('./calculations.ts'),
  tokens: () => import('./tokens.ts'),
};

/** A row of the table in README.md. */
interface BenchmarkTableRow {
  question: string;
  /** Approximate duration in minutes of a run on a machine with two cores. */
  minutes: string;
  command: string;
}

/** Returns those questions of the README's table that the npm script `script` answers. With `name`: only the questions of one benchmark. */
export function listBenchmarkQuestions(script: 'bench' | 'chaos' | 'attack', name = ''): BenchmarkTableRow[] {
  const lines = readFileSync(new URL('README.md', import.meta.url), 'utf8').split('\n');
  const rows = lines.flatMap((line) => {
    const [, question = '', minutes = '', command = ''] = /^\| (.+?) +\| (.+?) +\| `(.+?)` +\|$/.exec(line) ?? [];
    return command === '' ? [] : [{ question, minutes, command }];
  });
  const prefix = ['npm run', script, ...(name === '' ? [] : ['--', name])].join(' ');
  return rows.filter(({ command }) => command === prefix || command.startsWith(`${prefix} `));
}

/** Formats the questions as text: each question, followed by a line with its minutes and its command. */
export const formatBenchmarkHelp = (...which: Parameters<typeof listBenchmarkQuestions>): string =>
  listBenchmarkQuestions(...which)
    .map(
      ({ question, minutes, command }) =>
        `${question.replaceAll('`', '')}\n  ${`${minutes} min`.padStart(7)}  ${command}`,
    )
    .join('\n\n');

/** Whether the arguments contain `--help` or `-h`. */
export const isHelpRequested = (args: readonly string[]): boolean => args.includes('--help') || args.includes('-h');
