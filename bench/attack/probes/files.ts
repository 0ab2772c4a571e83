import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TESTED_PROGRAM } from '../../../test/support/program.ts';
import { assertProbeCondition, defineProbe, type Probe } from '../probe.ts';
import { type AttackedInstallation, pause } from '../world.ts';

/**
 * Maximum memory of the importer at any time, in MiB. Node and the program's modules take most of it; only a few MiB of the file may be in
 * memory.
 */
const MAX_MIB = 500;

/** Runs the command `energy import` while the service runs. Returns its exit code, its standard error, and its peak memory in MiB. */
async function importFile(world: AttackedInstallation, file: string, options: readonly string[]) {
  const { deviceId } = await world.device();
  const args = [TESTED_PROGRAM, 'import', '--device', deviceId, ...options, file];
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH, DATA_DIR: world.target.dataDir },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let text = '';
  child.stderr.on('data', (data) => {
    text = `${text}${data}`.slice(-10_000);
  });
  let mib = 0;
  // Linux reports the peak memory only of a running process; the status of an ended process is empty.
  while (child.exitCode === null && child.signalCode === null) {
    mib = Math.max(mib, residentPeakMib(child.pid));
    if (mib > 2 * MAX_MIB) child.kill('SIGKILL');
    await pause(20);
  }
  return { code: child.exitCode, text, mib };
}

function residentPeakMib(pid: number | undefined): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1_024;
  } catch {
    return 0;
  }
}

/** Hostile files, each with a function that creates the file, and the expected error. */
const FILES: readonly {
  name: string;
  kind?: Probe['kind'];
  options: readonly string[];
  make(file: string): Promise<void>;
  error: RegExp;
}[] = [
  {
    name: 'an XML element of 500,000 attributes',
    options: ['--format', 'green-button'],
    make: (file) => writeFile(file, elementOf(500_000)),
    error: /attributes/,
  },
  {
    name: 'an XML element of 5,000,000 attributes',
    kind: 'alone',
    options: ['--format', 'green-button'],
    make: (file) => writeFile(file, elementOf(5_000_000)),
    error: /attributes/,
  },
  {
    name: 'a CSV line without end, of 2 GiB',
    options: [],
    make: (file) => writeSparse(file, 'ts,energy_total_kwh\n2026-01-01T00:00:00Z,'),
    error: /line 2: the row is longer than/,
  },
  {
    name: 'a CSV line of 2 GiB within a quote that nobody closes',
    kind: 'alone',
    options: [],
    make: (file) => writeSparse(file, 'ts,energy_total_kwh\n2026-01-01T00:00:00Z,"'),
    error: /the row is longer than/,
  },
];

const elementOf = (attributes: number): string =>
  `<feed xmlns="http://www.w3.org/2005/Atom" ${Array.from({ length: attributes }, (_, at) => `a${at}="x"`).join(' ')}/>`;

/** Writes a text followed by zero bytes up to 2 GiB, as a sparse file that takes no space on disk. */
async function writeSparse(file: string, text: string): Promise<void> {
  const handle = await open(file, 'w');
  await handle.write(text);
  await handle.truncate(2 ** 31);
  await handle.close();
}

/** Probes that run the importer on files that could exhaust its memory or time. */
export const FILE_PROBES: readonly Probe[] = FILES.map(({ name, kind = 'quick', options, make, error }) =>
  defineProbe(
    `${name} ends energy import with an error that names it, in bounded memory`,
    async (world) => {
      const folder = await mkdtemp(join(tmpdir(), 'energy-attack-file-'));
      try {
        const file = join(folder, 'file');
        await make(file);
        const { code, text, mib } = await importFile(world, file, options);
        assertProbeCondition(mib < MAX_MIB, `the importer held ${Math.round(mib)} MiB`);
        assertProbeCondition(code === 1 && error.test(text), `it ended with ${code}: ${text.slice(-300)}`);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
    { kind, needs: ['dataDir'] },
  ),
);
