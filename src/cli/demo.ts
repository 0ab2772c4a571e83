import { resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import type { SimulationOptions } from '#simulators/device-publishers.ts';
import { FAULT_NAMES } from '#simulators/faults.ts';
import { loadDemoConfig } from '#src/config/load.ts';
import { DAY_MS } from '#src/core/units.ts';
import { restartWithHeapFlags } from '#src/start/children.ts';
import { type RunningDemo, startDemo } from '#src/start/demo.ts';
import { createProgressBar } from './progress-bar.ts';

/** Registers `energy demo`, which starts the service with simulated homes, so that people can try the service. */
export function registerCommands(program: Command): void {
  program
    .command('demo')
    .option('--every <seconds>', 'seconds between live messages, 2 to 900', seconds, 2)
    .option('--faults <a,b>', `faults in the meters' history: ${FAULT_NAMES.join(', ')}`, faults, [])
    .action(run);
}

function seconds(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 2 || value > 900) throw new InvalidArgumentError('Must be from 2 to 900.');
  return value;
}

function faults(list: string): string[] {
  const names = list.split(',');
  const unknown = names.filter((name) => !FAULT_NAMES.includes(name));
  if (unknown.length > 0) throw new InvalidArgumentError(`Known faults: ${FAULT_NAMES.join(', ')}.`);
  return names;
}

async function run(options: { every: number; faults: string[] }): Promise<void> {
  restartWithHeapFlags('demo');
  const play: SimulationOptions = { liveSeconds: options.every, faults: options.faults };
  const interrupt = new AbortController();
  let demo: RunningDemo | undefined;
  const end = () => {
    if (interrupt.signal.aborted) return;
    interrupt.abort(new Error('Interrupted.'));
    // While the demo is starting, `demo` is undefined; startDemo then exits when its signal aborts.
    void demo?.stop().then(() => process.exit(0));
  };
  process.on('SIGINT', end).on('SIGTERM', end).on('SIGHUP', end);
  try {
    const bar = createProgressBar('sending 13 months', '{value} of {total} readings, {eta_formatted} left');
    demo = await startDemo(loadDemoConfig(), play, bar, interrupt.signal);
  } catch (error) {
    if (interrupt.signal.aborted) process.exit(130);
    throw error;
  }
  if (interrupt.signal.aborted) await demo.stop().then(() => process.exit(130));
  console.log(formatDemoWelcome(demo, play, new Date()));
}

/** Formats the demo's welcome text: two links to the dashboard, then three commands to paste into a terminal. */
export function formatDemoWelcome(demo: RunningDemo, play: SimulationOptions, now: Date): string {
  const { readings, seconds } = demo.backfill;
  const { email = '', userId = '', timezone = 'UTC' } = demo.users[0] ?? {};
  const today = new Intl.DateTimeFormat('en-CA', { timeZone: timezone }).format(now);
  const weekStart = new Date(Date.parse(today) - 6 * DAY_MS).toISOString().slice(0, 10);
  const past =
    readings > 0
      ? `Stored ${readings.toLocaleString('en')} readings of the last 13 months in ${seconds.toFixed(1)} s.`
      : 'The readings of the last 13 months are already stored.';
  // The option `-w` adds a line break after the response, so that the prompt starts on a new line.
  const curl = `curl -sS -w '\\n' --cacert '${resolve(demo.certificateFile)}' -H 'Authorization: Bearer ${demo.apiKey}'`;
  const insights = (start: string) =>
    `${demo.baseUrl}/v1/energy-insights?user_id=${userId}&start=${start}&end=${today}&tz=account&group_by=day`;
  const stream = `${demo.baseUrl}/v1/usage/stream?user_id=${userId}`;
  return `
${past} Live power follows every ${play.liveSeconds} seconds.

  Anna’s home               ${demo.links.home ?? `${demo.baseUrl}/dashboard`}
  The utility (page Fleet)  ${demo.links.fleet ?? `${demo.baseUrl}/dashboard`}

Each link signs you in once; \`npx energy users sign-in ${email}\` prints another one. This machine made its
certificate itself: your browser warns of it the first time. The guides are at ${demo.baseUrl}/docs.
${demo.adminKey === null ? '' : `\nThe administrator’s API key, shown only this once: ${demo.adminKey}\n`}
# What Anna’s home used on each of the last seven days
${curl} '${insights(weekStart)}'

# Today’s usage and cost
${curl} '${insights(today)}&include=cost'

# Readings as they arrive, until Ctrl-C
${curl} -N '${stream}'

Ctrl-C ends the demo. Its data stay in ${demo.dataDir}.
`;
}
