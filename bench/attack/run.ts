import { parseArgs } from 'node:util';
import { attack, type Result } from './probe.ts';
import { PROBES } from './probes/all.ts';
import { given, ownInstallation, type Target } from './target.ts';
import { createWorld } from './world.ts';

const HELP = `npm run attack [-- options] [words of a probe]

Puts probes to a service of its own, or to one that you own on this machine.

  --quick           only probes that wait for nothing
  --json            results as JSON
  --list            names of the probes
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
  const isWanted = (name: string) => positionals.every((word) => name.toLowerCase().includes(word.toLowerCase()));
  const probes = PROBES.filter(({ name, kind }) => isWanted(name) && (!values.quick || kind === 'quick'));
  if (values.list) return console.log(probes.map(({ name }) => name).join('\n'));
  const target = await targetOf(values);
  const world = createWorld(target);
  let results: Result[] = [];
  try {
    results = await attack(world, probes, (result) => {
      if (!values.json) console.log(lineOf(result));
    });
    await world.end();
    if (values.api !== undefined) await world.clear();
  } finally {
    await target.remove();
  }
  const count = (wanted: Result['result']) => results.filter(({ result }) => result === wanted).length;
  const summary = { held: count('held'), fell: count('fell'), not_tried: count('not tried') };
  if (values.json) console.log(JSON.stringify({ ...summary, results }, null, 2));
  else console.log(`\n${summary.held} held, ${summary.fell} fell, ${summary.not_tried} were not tried.`);
  // Nothing tried is nothing shown.
  process.exit(summary.fell > 0 || summary.held === 0 ? 1 : 0);
}

interface Options {
  set?: string[];
  checkout?: string;
  api?: string;
  key?: string;
  mqtt?: string;
  mqtts?: string;
  http?: string;
}

async function targetOf({ set = [], checkout, api, key, mqtt, mqtts, http }: Options): Promise<Target> {
  if (api === undefined) {
    const env = Object.fromEntries(set.map((one) => [one.slice(0, one.indexOf('=')), one.slice(one.indexOf('=') + 1)]));
    process.stderr.write('starting a service of its own …\n');
    return ownInstallation({ checkout, env });
  }
  if (key === undefined) throw new Error('--api needs --key, the API key of an administrator.');
  return given({ api, key, mqtt, mqtts, http });
}

const MARK = { held: 'held     ', fell: 'FELL     ', 'not tried': 'not tried' };
const lineOf = ({ name, result, why, ms }: Result) =>
  `${MARK[result]}  ${String(ms).padStart(6)} ms  ${name}${why === '' ? '' : `\n                     ${why}`}`;

function fail(error: Error): never {
  console.error(error.message);
  process.exit(1);
}

await main().catch(fail);
