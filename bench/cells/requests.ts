import { readFileSync } from 'node:fs';
import { Agent } from 'node:https';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { storeRoutingExceptions } from '#src/start/cells/exceptions.ts';
import { sendLoopbackRequest } from '../../test/support/cluster/api-pair.ts';
import { readProcessCpuMs } from '../cpu.ts';
import { computeQuantile } from '../support.ts';
import type { BenchmarkCell, CellsInstallationUnderTest } from './rig.ts';

/** Responses to one caller. The caller sends its next request when it has received the response to the previous request. */
interface Asked {
  /** Durations of the responses in ms. */
  tookMs: number[];
  /** Number of requests that got no response with status 200. */
  failed: number;
}

/** Requests the list of a cell's accounts repeatedly as an administrator, through the router, until `isOver` returns true. */
async function askUntil(
  { tls, routers }: CellsInstallationUnderTest,
  { adminKey }: BenchmarkCell,
  isOver: (count: number) => boolean,
): Promise<Asked> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const asked: Asked = { tookMs: [], failed: 0 };
  for (let count = 0; !isOver(count); count++) {
    const fromMs = performance.now();
    const { status } = await sendLoopbackRequest(tls.cert, routers.all[0].ports.api, '/v1/users?limit=1', {
      key: adminKey,
      agent,
    });
    asked.tookMs.push(performance.now() - fromMs);
    if (status !== 200) asked.failed++;
  }
  agent.destroy();
  return asked;
}

const p99 = ({ tookMs }: Asked) => computeQuantile(tookMs, 0.99);

/** Measures the router's CPU time per request, in µs. */
export async function measureRouterCpuPerRequest(rig: CellsInstallationUnderTest, requests: number): Promise<number> {
  const [router] = rig.routers.all;
  await askUntil(rig, rig.cells[1], (count) => count === 100);
  const fromMs = readProcessCpuMs(router.pid());
  await askUntil(rig, rig.cells[1], (count) => count === requests);
  return ((readProcessCpuMs(router.pid()) - fromMs) * 1_000) / requests;
}

/** Result of requests to a cell during a disturbance of the installation, compared with requests before the disturbance. */
interface Disturbance {
  /** The 99th percentile of response times during the disturbance, divided by the 99th percentile before the disturbance. */
  p99Ratio: number;
  longestMs: number;
  failed: number;
}

async function disturb(
  rig: CellsInstallationUnderTest,
  cell: BenchmarkCell,
  seconds: number,
  run: () => Promise<unknown>,
): Promise<Disturbance> {
  const forSeconds = () => {
    const untilMs = performance.now() + seconds * 1_000;
    return () => performance.now() > untilMs;
  };
  const before = await askUntil(rig, cell, forSeconds());
  let isDone = false;
  const running = run().finally(() => {
    isDone = true;
  });
  const enough = forSeconds();
  const during = await askUntil(rig, cell, () => isDone && enough());
  await running;
  return { p99Ratio: p99(during) / p99(before), longestMs: Math.max(...during.tookMs), failed: during.failed };
}

/** Number of entries that a moved account has in the router's map of exceptions: one each for the account's id, a device and a key. */
const NAMES_OF_ACCOUNT = 3;

/**
 * Measures requests to a cell (installation) while entries are added to the router's map of moved accounts. `changeMs`: longest duration of
 * a change of the map.
 */
export async function measureRequestsDuringMapChanges(
  rig: CellsInstallationUnderTest,
  { accounts, changes, seconds }: { accounts: number; changes: number; seconds: number },
): Promise<Disturbance & { changeMs: number }> {
  const { routers, cells } = rig;
  const places = { file: routers.exceptions, routers: routers.all.map(({ socket }) => socket) };
  const namesOf = (account: number) =>
    Array.from({ length: NAMES_OF_ACCOUNT }, (_, index) => `usr_moved${account}x${index}`);
  const all = Array.from({ length: accounts }, (_, account) => namesOf(account)).flat();
  await storeRoutingExceptions(places, new Map(all.map((name) => [name, 'c2'])));
  let changeMs = 0;
  const disturbed = await disturb(rig, cells[1], seconds, async () => {
    for (let change = 0; change < changes; change++) {
      const fromMs = performance.now();
      await storeRoutingExceptions(places, new Map(namesOf(accounts + change).map((name) => [name, 'c2'])));
      changeMs = Math.max(changeMs, performance.now() - fromMs);
    }
  });
  const everything = [...all, ...Array.from({ length: changes }, (_, change) => namesOf(accounts + change)).flat()];
  await storeRoutingExceptions(places, new Map(everything.map((name) => [name, null])));
  return { ...disturbed, changeMs };
}

/** Measures requests to the second cell after all processes of the first cell were killed. */
export async function measureRequestsDuringCellOutage(
  rig: CellsInstallationUnderTest,
  seconds: number,
): Promise<Disturbance> {
  const [first, c2] = rig.cells;
  return disturb(rig, c2, seconds, async () => {
    const postmaster = readFileSync(join(first.database.dataDir, 'postgres', 'postmaster.pid'), 'utf8').split(
      '\n',
      1,
    )[0];
    await first.kill();
    process.kill(Number(postmaster), 'SIGKILL');
    await pause(1_000);
  });
}
