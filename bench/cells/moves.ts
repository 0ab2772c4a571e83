import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { createKey } from '#src/auth/keys.ts';
import { createDatabase } from '#src/database/connect.ts';
import { getReadingsTopic } from '#src/devices/topics.ts';
import { parseRoutingExceptions } from '#src/start/cells/exceptions.ts';
import { sendLoopbackRequest } from '../../test/support/cluster/api-pair.ts';
import { getLongestGapSeconds } from '../../test/support/cluster/meters.ts';
import { type RetryingPublisher, startRetryingPublisher } from '../../test/support/cluster/publisher.ts';
import { TESTED_PROGRAM } from '../../test/support/program.ts';
import { startRole } from '../../test/support/service.ts';
import { type BenchmarkCell, runInCellContext, type TwoCellInstallation } from './rig.ts';

const PER_SECOND = 16;
const STEP_MS = 1_000;
/** Number of accounts that are also read through the API during the move. */
const READERS = 5;
/** Time in ms between two requests for the same account. */
const READ_EVERY_MS = 50;
/** Time for which readings are sent before and after the move, in ms. */
const CALM_MS = 3_000;

/** Result of moving accounts under load. */
interface AccountMovesResult {
  accounts: number;
  /** Longest time for which neither cell served an account, in ms. */
  heldMs: number;
  acknowledged: number;
  lost: number;
  doubled: number;
  /** Longest time in seconds for which a device got no PUBACK, and for which the owner of a key got no response with status 200. */
  publishWaitS: number;
  requestWaitS: number;
  /** Number of responses with a status other than 200 and 503, such as 401. */
  wrong: number;
  /**
   * Number of entries per moved account in the routers' map of exceptions, which lists the accounts that are not in their original cell.
   */
  exceptionsPerAccount: number;
}

/**
 * Moves accounts from the first cell (installation) to the second. Meanwhile their devices publish 16 messages/s, and some accounts are
 * read through the API.
 */
export async function measureAccountMoves(rig: TwoCellInstallation, accounts: number): Promise<AccountMovesResult> {
  const { routers, cells } = rig;
  const [first] = cells;
  // The worker takes changed hours out of the queue. Without it, the queue grows, and each move reads the whole queue.
  const worker = await startRole('worker', first.env);
  const devices = await first.pair(accounts);
  const userIds = await usersOf(first, devices);
  const keys = await runInCellContext(first, () =>
    Promise.all(
      userIds
        .slice(0, READERS)
        .map((userId) => createKey(createDatabase(first.database.pool), { userId, environment: 'live' })),
    ),
  );
  const nodes = routers.all;
  const publishers = devices.map(({ deviceId, secret }, index) =>
    startRetryingPublisher({ nodes, deviceId, secret, topic: getReadingsTopic(deviceId), first: index }),
  );
  const over = new AbortController();
  const publishing = publish(publishers, over.signal);
  const reading = keys.map(({ key }, index) => read(rig, key, userIds[index] as string, over.signal));
  await pause(CALM_MS);
  const fromMs = Date.now();
  const report = await move(rig, userIds);
  await pause(CALM_MS);
  const toMs = Date.now();
  over.abort();
  await publishing;
  await Promise.all(publishers.map((publisher) => publisher.flush()));
  await Promise.all(publishers.map((publisher) => publisher.close()));
  const read_ = await Promise.all(reading);
  await worker.stop();
  const gap = (times: readonly number[]) => getLongestGapSeconds(times, fromMs, toMs);
  const acknowledged = publishers.reduce((sum, one) => sum + one.acknowledged.size, 0);
  const exceptions = parseRoutingExceptions(readFileSync(routers.exceptions, 'utf8')).size;
  return {
    accounts,
    heldMs: report.held_ms,
    acknowledged,
    ...(await countStored(rig, devices, acknowledged)),
    publishWaitS: Math.max(...publishers.map((one) => gap([...one.acknowledged.values()]))),
    requestWaitS: Math.max(...read_.map(({ atMs }) => gap(atMs))),
    wrong: read_.reduce((sum, { wrong }) => sum + wrong, 0),
    exceptionsPerAccount: exceptions / accounts,
  };
}

async function publish(publishers: readonly RetryingPublisher[], over: AbortSignal): Promise<void> {
  const startMs = Math.floor(Date.now() / 1_000) * 1_000 - 18 * 3_600_000;
  const everyMs = 1_000 / PER_SECOND;
  let sent = 0;
  for (let nextMs = Date.now(); !over.aborted; nextMs += everyMs) {
    const payload = JSON.stringify({ ts: startMs + sent * STEP_MS, energy_total_kwh: 1_000 + sent / 10_000 });
    for (const publisher of publishers) publisher.publish(payload);
    sent++;
    await pause(Math.max(0, nextMs + everyMs - Date.now()));
  }
}

/** Requests an account's data repeatedly with its API key. `atMs`: times of the responses with status 200. */
async function read({ tls, routers }: TwoCellInstallation, key: string, userId: string, over: AbortSignal) {
  const atMs: number[] = [];
  let wrong = 0;
  while (!over.aborted) {
    const { status } = await sendLoopbackRequest(tls.cert, routers.all[0].ports.api, `/v1/users/${userId}`, { key });
    if (status === 200) atMs.push(Date.now());
    else if (status !== 503) wrong++;
    await pause(READ_EVERY_MS);
  }
  return { atMs, wrong };
}

/** Runs `energy cells move`. Throws if it fails. */
async function move(
  { routers, cells: [first, c2] }: TwoCellInstallation,
  userIds: readonly string[],
): Promise<{ held_ms: number }> {
  const args = [TESTED_PROGRAM, 'cells', 'move', ...userIds, '--to', c2.name, '--file', routers.cellsFile, '--json'];
  const env = { ...first.env, PATH: process.env.PATH, TMPDIR: process.env.TMPDIR };
  return new Promise((resolve, reject) =>
    execFile(process.execPath, args, { env }, (error, stdout, stderr) =>
      error ? reject(new Error(stderr)) : resolve(JSON.parse(stdout)),
    ),
  );
}

async function usersOf({ database }: BenchmarkCell, devices: readonly { deviceId: string }[]): Promise<string[]> {
  const { rows } = await database.pool.query(
    'SELECT user_id FROM devices WHERE device_id = ANY ($1) ORDER BY user_id',
    [devices.map(({ deviceId }) => deviceId)],
  );
  return rows.map(({ user_id }) => user_id);
}

/** Compares the readings that are stored in both cells with the number of acknowledged messages. */
async function countStored(
  { cells }: TwoCellInstallation,
  devices: readonly { deviceId: string }[],
  acknowledged: number,
) {
  const lines: string[] = [];
  for (const { database } of cells) {
    const { rows } = await database.pool.query(
      'SELECT device_id, read_at FROM readings JOIN series USING (series_id) WHERE device_id = ANY ($1)',
      [devices.map(({ deviceId }) => deviceId)],
    );
    for (const { device_id, read_at } of rows) lines.push(`${device_id} ${read_at.getTime()}`);
  }
  const different = new Set(lines).size;
  return { lost: acknowledged - different, doubled: lines.length - different };
}
