import { createGatewayHearing } from '#ingest/gateways/hear.ts';
import type { Pool, PoolClient } from '#src/database/connect.ts';
import { retentionStartMs } from '#src/database/history.ts';
import { inTransaction } from '#src/database/transaction.ts';
import type { IncomingMessage, Reject, WriteResult } from '../message.ts';
import { type Collected, collect, type NewPoint, type SeriesBatch } from './collect.ts';
import { commitPlans } from './commit.ts';
import type { Head, HeadPlan } from './head.ts';
import { type HeadMemory, headMemory } from './head-memory.ts';
import type { Keeping } from './keeping.ts';
import { type LockedDevice, loadDevices } from './load.ts';
import { loadStretches } from './load-stretches.ts';
import { MissingPartitions, type PartitionMonths, partitionMonths } from './partition-months.ts';
import { planDevice, validReadings, type WantedStretch } from './plan.ts';
import { saveRejects } from './rejected.ts';
import { StaleHeads } from './save-heads.ts';
import type { Stretch } from './stretch.ts';
import { touchDevices } from './touch-devices.ts';

export type { IncomingMessage, WriteResult } from '../message.ts';

/** Transactions that lost to a neighbour (deadlock, serialisation) or lacked a partition are begun again so often. */
const MAX_ATTEMPTS = 8;
const BEGIN_AGAIN = new Set(['40P01', '40001']);

export interface Writer {
  /**
   * Writes a batch in one transaction: readings, load profile, aggregates, rejections. Resolves when it is committed;
   * only then may the messages be acknowledged. Rejects where the database fails, and then nothing of it is stored.
   * Any number of writers may run on the same devices, and a batch may come any number of times.
   */
  write(batch: readonly IncomingMessage[]): Promise<WriteResult>;
}

/**
 * `retentionMonths`: age beyond which readings are rejected. `keeping`: which rejections are kept (all of them). `memory`: what
 * is remembered of devices between batches. `now`: clock, Unix ms.
 */
export function createWriter(
  pool: Pool,
  options: { retentionMonths?: number; keeping?: Keeping; memory?: HeadMemory; now?: () => number } = {},
): Writer {
  const { retentionMonths = 13, keeping, now = Date.now, memory = headMemory({ now }) } = options;

  const months = partitionMonths(pool);
  const gateways = createGatewayHearing();
  return {
    async write(batch) {
      for (let attempt = 1; ; attempt++) {
        const oldestMs = retentionStartMs(now(), retentionMonths);
        let undoKeeping = () => {};
        const kept = (rejects: readonly Reject[]): readonly Reject[] => {
          if (!keeping) return rejects;
          const chosen = keeping.of(rejects, now());
          undoKeeping = () => keeping.undo(rejects, chosen);
          return chosen;
        };
        let remembered: readonly HeadPlan[] = [];
        try {
          const { result, heads, touched } = await inTransaction(pool, async (client) => {
            const messages = await gateways.hear(client, batch);
            const collected = collect(messages, oldestMs);
            remembered = planRemembered(memory, messages, collected);
            return writeCollected(client, messages, collected, { months, kept, remembered });
          });
          for (const head of heads) memory.set(head);
          memory.forget(touched);
          return result;
        } catch (error) {
          // Whether it was committed may not be known: what is remembered of these devices may be no longer so.
          memory.forget(remembered.map(({ head }) => head.deviceId));
          gateways.forget(batch);
          undoKeeping();
          if (error instanceof MissingPartitions) await months.make(error);
          else if (error instanceof StaleHeads) {
            if (error.count > remembered.length / 4) memory.stayAway();
          } else if (attempt >= MAX_ATTEMPTS || !BEGIN_AGAIN.has((error as { code?: string }).code ?? '')) throw error;
        }
      }
    },
  };
}

/**
 * Plans, on what is remembered and without a lock, what the batch does to devices whose readings all follow what is stored, and
 * who say nothing else: nearly all of them, mostly.
 */
function planRemembered(memory: HeadMemory, batch: readonly IncomingMessage[], collected: Collected): HeadPlan[] {
  const others = new Set<string>();
  for (const { message } of collected.rejects) others.add(message.decoded.deviceId);
  for (const { decoded } of batch) if (decoded.status !== undefined) others.add(decoded.deviceId);
  const planned: HeadPlan[] = [];
  for (const [deviceId, arrived] of collected.series) {
    const head = others.has(deviceId) ? null : memory.get(deviceId);
    if (!head || !isFollowedBy(head, arrived)) continue;
    const plan = planDevice(head, arrived, new Map());
    if ('series' in plan) planned.push({ head, plan });
  }
  return planned;
}

function isFollowedBy(head: Head, arrived: ReadonlyMap<string, SeriesBatch>): boolean {
  for (const [name, { points }] of arrived) {
    const lastReadAtMs = head.series.get(name)?.lastReadAtMs ?? null;
    if (lastReadAtMs === null || (points[0] as NewPoint).readAtMs <= lastReadAtMs) return false;
  }
  return true;
}

/** Load, plan, commit: what stands of the other devices, what the batch makes of them, and the statements that write all of it. */
async function writeCollected(
  client: PoolClient,
  batch: readonly IncomingMessage[],
  collected: Collected,
  context: {
    months: PartitionMonths;
    kept: (rejects: readonly Reject[]) => readonly Reject[];
    remembered: readonly HeadPlan[];
  },
): Promise<{ result: WriteResult; heads: Head[]; touched: ReadonlySet<string> }> {
  const { months, kept, remembered } = context;
  const isPlanned = new Set(remembered.map(({ head }) => head.deviceId));
  const deviceIds = new Set(batch.map((message) => message.decoded.deviceId));
  const devices = await loadDevices(
    client,
    [...deviceIds].filter((deviceId) => !isPlanned.has(deviceId)),
  );
  const planned = [...remembered, ...(await planDevices(client, devices, collected.series))];
  const heads = await commitPlans(client, planned, months);
  const isKnown = (deviceId: string) => devices.has(deviceId) || isPlanned.has(deviceId);
  const rejects = [...collected.rejects, ...fromUnknownDevices(batch, isKnown)];
  const heard = new Map<string, number>();
  let [stored, { duplicates }] = [0, collected];
  for (const { head, plan } of planned) {
    const valid = validReadings(plan);
    if (valid > 0) heard.set(head.deviceId, valid);
    for (const series of plan.series) {
      stored += series.inserts.length + series.lowered.length;
      duplicates += series.duplicates;
      for (const reject of series.rejects) rejects.push(reject);
    }
  }
  const touched = await touchDevices(client, devices, heard, batch, rejects);
  await saveRejects(client, kept(rejects));
  const result = { stored, duplicates, rejected: rejects.length };
  return { result, heads, touched };
}

/** A device whose plan is not complete yet, and what was loaded for it. */
interface Open {
  head: LockedDevice;
  arrived: ReadonlyMap<string, SeriesBatch>;
  stretches: Map<number, Stretch[]>;
}

/** Plans what the readings do to their devices, loading the stretches that this needs, all devices' in one go. */
async function planDevices(
  client: PoolClient,
  devices: ReadonlyMap<string, LockedDevice>,
  collected: Collected['series'],
): Promise<HeadPlan[]> {
  const plans: HeadPlan[] = [];
  let open: Open[] = [];
  for (const [deviceId, arrived] of collected) {
    const head = devices.get(deviceId);
    if (head) open.push({ head, arrived, stretches: new Map() });
  }
  while (open.length > 0) {
    const wanted: { of: Open; stretch: WantedStretch }[] = [];
    open = open.filter((of) => {
      const planned = planDevice(of.head, of.arrived, of.stretches);
      if ('wanted' in planned) for (const stretch of planned.wanted) wanted.push({ of, stretch });
      else plans.push({ head: of.head, plan: planned });
      return 'wanted' in planned;
    });
    const loaded = await loadStretches(
      client,
      wanted.map(({ stretch }) => stretch),
    );
    for (const [index, { of, stretch }] of wanted.entries()) {
      const known = of.stretches.get(stretch.seriesId) ?? [];
      of.stretches.set(stretch.seriesId, [...known, loaded[index] as Stretch]);
    }
  }
  return plans;
}

const fromUnknownDevices = (batch: readonly IncomingMessage[], isKnown: (deviceId: string) => boolean): Reject[] =>
  batch
    .filter(({ decoded }) => decoded.readings.length > 0 && !isKnown(decoded.deviceId))
    .map((message) => ({ message, element: null, reason: 'unknown or deleted device' }));
