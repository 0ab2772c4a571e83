import { readFileSync } from 'node:fs';
import { Agent } from 'node:https';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { storeRoutingExceptions } from '#src/start/cells/exceptions.ts';
import { sendLoopbackRequest } from '../../test/support/cluster/api-pair.ts';
import { readProcessCpuMs } from '../cpu.ts';
import { computeQuantile } from '../support.ts';
import type { BenchmarkCell, TwoCellInstallation } from './rig.ts';

/**
 * Number of callers while the router's CPU time is measured. With a single caller, the router would sleep and wake up twice per request,
 * which costs additional CPU time.
 */
const CALLERS = 16;

/** Responses to one caller, who sends a request only after the response to the previous request. */
interface Asked {
  /** Durations of the responses in ms. */
  tookMs: number[];
  /** Number of requests that got no response with status 200. */
  failed: number;
}

/**
 * Requests the list of a cell's accounts repeatedly as an administrator, through the router, until `isOver` returns true. `agent`: the
 * caller's connections.
 */
async function askUntil(
  { tls, routers }: TwoCellInstallation,
  { adminKey }: BenchmarkCell,
  agent: Agent,
  isOver: (count: number) => boolean,
): Promise<Asked> {
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
  return asked;
}

const p99 = ({ tookMs }: Asked) => computeQuantile(tookMs, 0.99);

/** CPU time of a router, for requests over connections that stay open. */
interface RouterCpu {
  /** CPU time per request in µs, without the CPU time that the router takes in the same time without requests. */
  requestUs: number;
  /** CPU time per second without requests in ms, for example for the health checks of the cells. */
  idleMsPerSecond: number;
  /** Requests per second during the measurement. */
  perSecond: number;
  /** Number of requests that got no response with status 200. Their CPU time differs from that of the others. */
  failed: number;
}

/** Measures a router's CPU time per request, with several callers. */
export async function measureRouterCpuPerRequest(rig: TwoCellInstallation, requests: number): Promise<RouterCpu> {
  const [router] = rig.routers.all;
  const agent = new Agent({ keepAlive: true, maxSockets: CALLERS });
  const send = async (total: number) => {
    let sent = 0;
    const caller = () => askUntil(rig, rig.cells[1], agent, () => sent++ >= total);
    const all = await Promise.all(Array.from({ length: CALLERS }, caller));
    return all.reduce((sum, { failed }) => sum + failed, 0);
  };
  /** Returns a function's result, the router's CPU time and the elapsed time, in ms. */
  const measure = async <T>(run: () => Promise<T>) => {
    const [fromMs, cpuFromMs] = [performance.now(), readProcessCpuMs(router.pid())];
    const result = await run();
    return { result, cpuMs: readProcessCpuMs(router.pid()) - cpuFromMs, tookMs: performance.now() - fromMs };
  };
  try {
    await send(100);
    const busy = await measure(() => send(requests));
    const idle = await measure(() => pause(busy.tookMs));
    const idlePerMs = idle.cpuMs / idle.tookMs;
    return {
      requestUs: ((busy.cpuMs - idlePerMs * busy.tookMs) * 1_000) / requests,
      idleMsPerSecond: idlePerMs * 1_000,
      perSecond: requests / (busy.tookMs / 1_000),
      failed: busy.result,
    };
  } finally {
    agent.destroy();
  }
}

/** Result of requests to a cell during a disturbance of the installation, compared with requests before the disturbance. */
interface Disturbance {
  /** The 99th percentile of response times during the disturbance, divided by the 99th percentile before the disturbance. */
  p99Ratio: number;
  longestMs: number;
  failed: number;
}

async function disturb(
  rig: TwoCellInstallation,
  cell: BenchmarkCell,
  seconds: number,
  run: () => Promise<unknown>,
): Promise<Disturbance> {
  const forSeconds = () => {
    const untilMs = performance.now() + seconds * 1_000;
    return () => performance.now() > untilMs;
  };
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const before = await askUntil(rig, cell, agent, forSeconds());
  let isDone = false;
  const running = run().finally(() => {
    isDone = true;
  });
  const enough = forSeconds();
  const during = await askUntil(rig, cell, agent, () => isDone && enough());
  await running;
  agent.destroy();
  return { p99Ratio: p99(during) / p99(before), longestMs: Math.max(...during.tookMs), failed: during.failed };
}

/** Number of entries that a moved account has in the router's map of exceptions: one each for the account's id, a device and a key. */
const NAMES_OF_ACCOUNT = 3;

/**
 * Measures requests to a cell (installation) while entries are added to the router's map of moved accounts. `changeMs`: longest duration of
 * a change of the map.
 */
export async function measureRequestsDuringMapChanges(
  rig: TwoCellInstallation,
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
export async function measureRequestsDuringCellOutage(rig: TwoCellInstallation, seconds: number): Promise<Disturbance> {
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
