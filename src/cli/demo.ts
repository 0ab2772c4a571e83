import { resolve } from 'node:path';
import { SingleBar } from 'cli-progress';
import { type Command, InvalidArgumentError } from 'commander';
import { FAULT_NAMES } from '#simulators/fault-names.ts';
import type { PlayOptions } from '#simulators/play.ts';
import { loadDemoConfig } from '#src/config/load.ts';
import { DAY_MS } from '#src/core/units.ts';
import { type BackfillProgress, type Demo, startDemo } from '#src/start/demo.ts';

/** `energy demo`: the service with simulated homes, for a first look. */
export function register(program: Command): void {
  program
    .command('demo')
    .description('run the service with simulated homes: 90 days of history, then live readings')
    .option('--every <seconds>', 'seconds between live readings, 10 to 900', seconds, 10)
    .option('--faults <a,b>', `what goes wrong with the meters' history: ${FAULT_NAMES.join(', ')}`, faults, [])
    .action(run);
}

function seconds(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 10 || value > 900) throw new InvalidArgumentError('10 to 900.');
  return value;
}

function faults(list: string): string[] {
  const names = list.split(',');
  const unknown = names.filter((name) => !FAULT_NAMES.includes(name));
  if (unknown.length > 0) throw new InvalidArgumentError(`Known are ${FAULT_NAMES.join(', ')}.`);
  return names;
}

async function run(options: { every: number; faults: string[] }): Promise<void> {
  const play: PlayOptions = { liveSeconds: options.every, faults: options.faults };
  const interrupt = new AbortController();
  let demo: Demo | undefined;
  const end = () => {
    if (interrupt.signal.aborted) return;
    interrupt.abort(new Error('Interrupted.'));
    // Before the demo stands, startDemo itself cleans up and ends with the reason above.
    void demo?.stop().then(() => process.exit(0));
  };
  process.on('SIGINT', end).on('SIGTERM', end).on('SIGHUP', end);
  try {
    demo = await startDemo(loadDemoConfig(), play, progressBar(), interrupt.signal);
  } catch (error) {
    if (interrupt.signal.aborted) process.exit(130);
    throw error;
  }
  if (interrupt.signal.aborted) await demo.stop().then(() => process.exit(130));
  console.log(welcome(demo, play, new Date()));
}

/** What the visitor reads, with lines to paste. */
function welcome(demo: Demo, play: PlayOptions, now: Date): string {
  const day = (daysAgo: number) => new Date(now.getTime() - daysAgo * DAY_MS).toISOString().slice(0, 10);
  const { readings, seconds } = demo.backfill;
  const user = demo.users[0]?.userId ?? '';
  // `-w`: who pastes several lines gets each answer on a line of its own.
  const curl = `curl -sS -w '\\n' --cacert '${resolve(demo.certificateFile)}' -H 'Authorization: Bearer ${demo.apiKey}'`;
  const insights = `${demo.baseUrl}/v1/energy-insights`;
  const query = (from: number, group: string, more = '') =>
    `'${insights}?user_id=${user}&start=${day(from)}&end=${day(0)}&group_by=${group}${more}'`;
  const past =
    readings > 0 ? `${readings} readings of the past stored in ${seconds.toFixed(1)} s` : 'The past is stored already';
  return `
${past}; from now on every device reports each ${play.liveSeconds} seconds.

Dashboard  ${demo.signInLink ?? `${demo.baseUrl}/dashboard`}
           Signs you in once, as the demo's utility; another link, also for others such as admin@localhost:
           npx energy users sign-in EMAIL. Your browser asks about the certificate, which is this machine's own.
API        ${demo.baseUrl}
Key        ${demo.apiKey}
${demo.adminKey === null ? '' : `Admin key  ${demo.adminKey} (shown this once)\n`}Homes      ${demo.users.map(({ email, userId }) => `${email} ${userId}`).join('\n           ')}

Try it (usage by day, by month, by hour, what days cost, and a summary):

${curl} ${query(6, 'day')}
${curl} ${query(89, 'month')}
${curl} ${query(1, 'hour')}
${curl} ${query(6, 'day', '&include=cost')}
${curl} -H 'Content-Type: application/json' -d '{"user_id":"${user}","interval":"month","metrics":["kwh_used","peak_hour"]}' '${insights}'

Ctrl-C ends everything; the data stay.
`;
}

/** Readings sent, on a terminal only. */
function progressBar(): BackfillProgress {
  if (!process.stderr.isTTY) return { start: () => {}, sent: () => {}, stop: () => {} };
  const bar = new SingleBar({
    format: 'sending 90 days [{bar}] {value} of {total} readings, {eta_formatted} left',
    stream: process.stderr,
  });
  return { start: (total) => bar.start(total, 0), sent: (readings) => bar.increment(readings), stop: () => bar.stop() };
}
