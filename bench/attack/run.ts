import { parseArgs } from 'node:util';
import { isIsolatedRun, restartOnIsolatedServer } from '../isolated-run.ts';
import { measureFairness, type OverloadingAccountResult } from './fairness.ts';
import { runFuzzer } from './fuzz/fuzz.ts';
import { type ProbeResult, runProbes } from './probe.ts';
import { ALL_PROBES } from './probes/all.ts';
import { publishHourlyReadings } from './probes/load.ts';
import { type AttackTarget, startInstallation, useRunningInstallation } from './target.ts';
import { createAttackedInstallation } from './world.ts';

const HELP = `npm run attack [-- options] [words of a probe]

Puts probes to a service of its own, or to one that you own on this machine.

  --quick           only probes that wait for nothing
  --json            results as JSON
  --list            names of the probes
  --fuzz [N]        N requests (20,000) made of the OpenAPI document, by every role
  --seed NUMBER     of the requests of --fuzz: the same ones again
  --fairness        what a neighbour waits for with and without each of five hogs, as ratios
  --set NAME=VALUE  a variable for the service of its own, as to weaken it
  --checkout DIR    another version of the repository, whose service is attacked

  --api URL         instead of a service of its own: a running one (loopback only), with
  --key KEY         the API key of an administrator of it, and as far as it has them
  --mqtt URL, --mqtts URL, --http URL

Exits with 1 where a probe fell.`;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      help: { type: 'boolean' },
      quick: { type: 'boolean' },
      json: { type: 'boolean' },
      list: { type: 'boolean' },
      fuzz: { type: 'boolean' },
      fairness: { type: 'boolean' },
      seed: { type: 'string' },
      set: { type: 'string', multiple: true },
      checkout: { type: 'string' },
      api: { type: 'string' },
      key: { type: 'string' },
      mqtt: { type: 'string' },
      mqtts: { type: 'string' },
      http: { type: 'string' },
    },
  });
  if (values.help) return console.log(HELP);
  if (values.fuzz) return fuzzAll(values, Number(positionals[0] ?? FUZZED_REQUESTS));
  if (values.fairness) return showFairness(values);
  const isWanted = (name: string) => positionals.every((word) => name.toLowerCase().includes(word.toLowerCase()));
  const probes = ALL_PROBES.filter(({ name, kind }) => isWanted(name) && (!values.quick || kind === 'quick'));
  if (values.list) return console.log(probes.map(({ name }) => name).join('\n'));
  const target = await targetOf(values);
  const world = createAttackedInstallation(target);
  let results: ProbeResult[] = [];
  try {
    results = await runProbes(world, probes, (result) => {
      if (!values.json) console.log(lineOf(result));
    });
    await world.end();
    if (values.api !== undefined) await world.clear();
  } finally {
    await target.remove();
  }
  const count = (wanted: ProbeResult['result']) => results.filter(({ result }) => result === wanted).length;
  const summary = { held: count('held'), fell: count('fell'), not_tried: count('not tried') };
  if (values.json) console.log(JSON.stringify({ ...summary, results }, null, 2));
  else console.log(`\n${summary.held} held, ${summary.fell} fell, ${summary.not_tried} were not tried.`);
  // The run also fails if no probe could show that its property holds, because such a run proves nothing about the service.
  process.exit(summary.fell > 0 || summary.held === 0 ? 1 : 0);
}

/** Fuzzes the service. Starts a separate service for this, because fuzzing creates and deletes accounts. */
async function fuzzAll({ json, set, checkout, ...given }: Options, requests: number): Promise<void> {
  if (given.api !== undefined) throw new Error('--fuzz takes a service of its own, not --api.');
  const seed = given.seed === undefined ? Math.trunc(Math.random() * 2 ** 31) : Number(given.seed);
  const target = await targetOf({ ...(set && { set }), ...(checkout && { checkout }) });
  const world = createAttackedInstallation(target);
  const feed = (userId: string) => publishHourlyReadings(world, userId, FED_HOURS);
  const { statuses, faults, ...rest } = await runFuzzer(world, { seed, requests, feed }).finally(target.remove);
  if (json) console.log(JSON.stringify({ ...rest, statuses, faults }, null, 2));
  else {
    console.table(statuses);
    for (const { operation, by, request, why } of faults)
      console.log(`FAULT  ${operation} by ${by}: ${why}\n       ${request}`);
    console.log(
      `\n${rest.requests} requests of seed ${seed}, ${faults.length} faults, slowest answer ${rest.slowestMs} ms.`,
    );
  }
  process.exit(faults.length > 0 ? 1 : 0);
}

/**
 * Maximum factor by which a hog (an account that overloads the service) may lengthen a neighbour's waiting times. Exceeding it does not
 * fail the run, because the machine may be busy.
 */
const FAIR_RATIO = 2;

async function showFairness({ json, checkout }: Options): Promise<void> {
  const results = await measureFairness((hog) => process.stderr.write(`${hog} …\n`), { checkout });
  if (json) return console.log(JSON.stringify(results, null, 2));
  const shown = ({ without, with: hogged, ratio }: OverloadingAccountResult['puback']) =>
    `${without} → ${hogged} ms: ${ratio}${ratio > FAIR_RATIO ? ' (over 2)' : ''}`;
  const rows = results.map(({ hog, puback, answer, webhook }) => [
    hog,
    { 'PUBACK p99': shown(puback), 'answer p99': shown(answer), 'webhook, slowest': shown(webhook) },
  ]);
  console.table(Object.fromEntries(rows));
}

interface Options {
  json?: boolean;
  seed?: string;
  set?: string[];
  checkout?: string;
  api?: string;
  key?: string;
  mqtt?: string;
  mqtts?: string;
  http?: string;
}

async function targetOf({ set = [], checkout, api, key, mqtt, mqtts, http }: Options): Promise<AttackTarget> {
  if (api === undefined) {
    const env = Object.fromEntries(set.map((one) => [one.slice(0, one.indexOf('=')), one.slice(one.indexOf('=') + 1)]));
    process.stderr.write('starting a service of its own …\n');
    return startInstallation({ checkout, env });
  }
  if (key === undefined) throw new Error('--api needs --key, the API key of an administrator.');
  return useRunningInstallation({ api, key, mqtt, mqtts, http });
}

const FUZZED_REQUESTS = 20_000;
const FED_HOURS = 30 * 24;

const MARK = { held: 'held     ', fell: 'FELL     ', 'not tried': 'not tried' };
const lineOf = ({ name, result, why, ms }: ProbeResult) =>
  `${MARK[result]}  ${String(ms).padStart(6)} ms  ${name}${why === '' ? '' : `\n                     ${why}`}`;

function fail(error: Error): never {
  console.error(error.message);
  process.exit(1);
}

if (!isIsolatedRun()) await restartOnIsolatedServer();
await main().catch(fail);
