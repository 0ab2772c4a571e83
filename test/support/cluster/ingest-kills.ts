import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from '#src/database/connect.ts';
import { getReadingsTopic } from '#src/devices/topics.ts';
import type { IngestPair } from './ingest-pair.ts';
import { findLongestGap } from './meters.ts';
import { describePubackWait, type RetryingPublisher, startRetryingPublisher } from './publisher.ts';

const EVERY_MS = 200;
const STEP_MS = 1_000;
/** After a kill, the test observes the clients for this time plus their time limit for a CONNACK. */
const WATCHED_MS = 6_000;
/** Maximum time until all clients are connected before the next kill. */
const SETTLED_MS = 60_000;
/** If a client waits longer than this number of seconds for a PUBACK, the test prints the client's attempts to connect. */
const SLOW_S = 3;
/** Time after which a client without a CONNACK reconnects. */
const CONNECT_TIMEOUT_MS = 2_000;

/** One round of the test: a process is killed and restarted. */
interface KillRound {
  /** Number of clients that were connected to the process when it was killed. */
  moved: number;
  /** Longest time, in seconds, for which a client of the killed process received no PUBACK. */
  backS: number;
  /** Longest time, in seconds, for which a client of the other process received no PUBACK. */
  othersGapS: number;
  waits: string[];
}

/** Result of a run. `lost` and `doubled`: numbers of acknowledged readings that were not stored, or stored more than once. */
export interface KillTestResult {
  rounds: KillRound[];
  acknowledged: number;
  lost: number;
  doubled: number;
}

/**
 * Kills the two processes of a pair alternately, `rounds` times in total. Meanwhile, each device publishes five readings a second through
 * the proxy with QoS 1, and repeats unacknowledged readings. `connectTimeoutMs`: time after which a device without a CONNACK reconnects.
 */
export async function killProcessesAlternately(
  { proxy, processes }: IngestPair,
  {
    pool,
    devices,
    rounds,
    connectTimeoutMs = CONNECT_TIMEOUT_MS,
  }: {
    pool: Pool;
    devices: readonly { deviceId: string; secret: string }[];
    rounds: number;
    connectTimeoutMs?: number;
  },
): Promise<KillTestResult> {
  const startMs = Math.floor(Date.now() / 1_000) * 1_000 - 18 * 3_600_000;
  const publishers = devices.map(({ deviceId, secret }) =>
    startRetryingPublisher({
      nodes: [proxy],
      deviceId,
      secret,
      topic: getReadingsTopic(deviceId),
      first: 0,
      connectTimeoutMs,
    }),
  );
  let sent = 0;
  const over = new AbortController();
  const playing = (async () => {
    for (let nextMs = Date.now(); !over.signal.aborted; nextMs += EVERY_MS) {
      const payload = JSON.stringify({ ts: startMs + sent * STEP_MS, energy_total_kwh: 1_000 + sent / 10_000 });
      for (const publisher of publishers) publisher.publish(payload);
      sent++;
      await pause(Math.max(0, nextMs + EVERY_MS - Date.now()));
    }
  })();
  /** Waits until each client has received a PUBACK for a reading that it published after this call, or until `limitMs` have passed. */
  async function untilAllPublish(limitMs: number): Promise<void> {
    const [first, endMs] = [sent, Date.now() + limitMs];
    const hasPublished = ({ acknowledged }: RetryingPublisher) => acknowledged.has(first);
    while (Date.now() < endMs && !publishers.every(hasPublished)) await pause(50);
  }
  const done: KillRound[] = [];
  try {
    // Waits until every client has connected. A client that first connects after a kill would look like a client of the killed process.
    await untilAllPublish(SETTLED_MS);
    for (let round = 0; round < rounds; round++) {
      const which = round % 2;
      const killedAtMs = Date.now();
      await processes[which as 0 | 1].kill();
      await untilAllPublish(connectTimeoutMs + WATCHED_MS);
      // Waits another second. If a client still receives no PUBACK, its measured gap includes this second.
      await pause(1_000);
      done.push(judge(publishers, killedAtMs));
      await processes[which as 0 | 1].start();
      await proxy.isUp(`mqtt/ingest${which + 1}`);
      // Half of the clients reconnect, so that the restarted process gets clients.
      for (const [index, publisher] of publishers.entries()) if (index % 2 === round % 2) publisher.moveTo(0);
      await untilAllPublish(SETTLED_MS);
    }
  } finally {
    over.abort();
    await playing;
  }
  await Promise.all(publishers.map((publisher) => publisher.flush()));
  await Promise.all(publishers.map((publisher) => publisher.close()));
  const acknowledged = publishers.reduce((count, one) => count + one.acknowledged.size, 0);
  const { rows } = await pool.query(
    `SELECT count(*)::int AS stored, count(DISTINCT (series_id, read_at))::int AS times FROM readings JOIN series USING (series_id)
     WHERE device_id = ANY ($1)`,
    [devices.map(({ deviceId }) => deviceId)],
  );
  const { stored, times } = rows[0];
  return { rounds: done, acknowledged, lost: acknowledged - times, doubled: stored - times };
}

function judge(publishers: readonly RetryingPublisher[], fromMs: number): KillRound {
  const hasMoved = ({ connectedAtMs }: RetryingPublisher) => connectedAtMs.some((atMs) => atMs > fromMs);
  const moved = publishers.filter(hasMoved);
  const gapOf = (one: RetryingPublisher) => findLongestGap([...one.acknowledged.values()], fromMs, Date.now());
  const secondsOf = (one: RetryingPublisher) => {
    const gap = gapOf(one);
    return (gap.toMs - gap.fromMs) / 1_000;
  };
  const others = publishers.filter((one) => !hasMoved(one));
  return {
    moved: moved.length,
    backS: Math.max(0, ...moved.map(secondsOf)),
    othersGapS: Math.max(0, ...others.map(secondsOf)),
    waits: publishers
      .filter((one) => secondsOf(one) > SLOW_S)
      .map((one) => describePubackWait(one, gapOf(one).fromMs, gapOf(one).toMs)),
  };
}
