import { createGatewayHearing } from '#ingest/gateways/hear.ts';
import type { Pool, PoolClient } from '#src/database/connect.ts';
import { retentionStartMs } from '#src/database/history.ts';
import { inTransaction } from '#src/database/transaction.ts';
import type { IncomingMessage, Reject, WriteResult } from '../message.ts';
import { type Collected, collect, type SeriesBatch } from './collect.ts';
import { commitPlans } from './commit.ts';
import type { Keeping } from './keeping.ts';
import { type LockedDevice, loadDevices } from './load.ts';
import { loadStretches } from './load-stretches.ts';
import { MissingPartitions, type PartitionMonths, partitionMonths } from './partition-months.ts';
import { type DevicePlan, planDevice, type WantedStretch } from './plan.ts';
import { saveRejects } from './rejected.ts';
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
 * `retentionMonths`: age beyond which readings are rejected. `keeping`: which rejections are kept (all of them). `now`: clock,
 * Unix ms.
 */
export function createWriter(
  pool: Pool,
  options: { retentionMonths?: number; keeping?: Keeping; now?: () => number } = {},
): Writer {
  const { retentionMonths = 13, keeping, now = Date.now } = options;

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
        try {
          return await inTransaction(pool, async (client) => {
            const messages = await gateways.hear(client, batch);
            return writeCollected(client, messages, collect(messages, oldestMs), { months, kept });
          });
        } catch (error) {
          gateways.forget(batch);
          undoKeeping();
          if (error instanceof MissingPartitions) await months.make(error);
          else if (attempt >= MAX_ATTEMPTS || !BEGIN_AGAIN.has((error as { code?: string }).code ?? '')) throw error;
        }
      }
    },
  };
}

/** Load, plan, commit: what stands, what the batch makes of it, and the statements that write that. */
async function writeCollected(
  client: PoolClient,
  batch: readonly IncomingMessage[],
  collected: Collected,
  { months, kept }: { months: PartitionMonths; kept: (rejects: readonly Reject[]) => readonly Reject[] },
): Promise<WriteResult> {
  const deviceIds = [...new Set(batch.map((message) => message.decoded.deviceId))];
  const devices = await loadDevices(client, deviceIds, [...collected.series.keys()]);
  const plans = await planDevices(client, devices, collected.series);
  await commitPlans(client, plans, months);
  const rejects = [...collected.rejects, ...fromUnknownDevices(batch, devices)];
  // Valid readings by device. Those that are closed, or lose against a stored value, are none.
  const heard = new Map<string, number>();
  let [stored, { duplicates }] = [0, collected];
  for (const { device, series } of plans) {
    let valid = 0;
    for (const plan of series) {
      valid += plan.inserts.length + plan.lowered.length + plan.duplicates;
      stored += plan.inserts.length + plan.lowered.length;
      duplicates += plan.duplicates;
      for (const reject of plan.rejects) rejects.push(reject);
    }
    if (valid > 0) heard.set(device.deviceId, valid);
  }
  await touchDevices(client, devices, heard, batch, rejects);
  await saveRejects(client, kept(rejects));
  return { stored, duplicates, rejected: rejects.length };
}

/** A device whose plan is not complete yet, and what was loaded for it. */
interface Open {
  device: LockedDevice;
  arrived: ReadonlyMap<string, SeriesBatch>;
  stretches: Map<number, Stretch[]>;
}

/** Plans what the readings do to their devices, loading the stretches that this needs, all devices' in one go. */
async function planDevices(
  client: PoolClient,
  devices: ReadonlyMap<string, LockedDevice>,
  collected: Collected['series'],
): Promise<DevicePlan[]> {
  const plans: DevicePlan[] = [];
  let open: Open[] = [];
  for (const [deviceId, arrived] of collected) {
    const device = devices.get(deviceId);
    if (device) open.push({ device, arrived, stretches: new Map() });
  }
  while (open.length > 0) {
    const wanted: { of: Open; stretch: WantedStretch }[] = [];
    open = open.filter((of) => {
      const planned = planDevice(of.device, of.arrived, of.stretches);
      if ('wanted' in planned) for (const stretch of planned.wanted) wanted.push({ of, stretch });
      else plans.push(planned);
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

function fromUnknownDevices(batch: readonly IncomingMessage[], devices: ReadonlyMap<string, LockedDevice>): Reject[] {
  return batch
    .filter(({ decoded }) => decoded.readings.length > 0 && !devices.has(decoded.deviceId))
    .map((message) => ({ message, element: null, reason: 'unknown or deleted device' }));
}
