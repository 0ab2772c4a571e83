import { createGatewayHearing, type GatewayHearing, unknownGateway } from '#ingest/gateways/hear.ts';
import type { UnreadMessages } from '#ingest/gateways/unread.ts';
import { defined } from '#src/core/defined.ts';
import type { Pool, PoolClient } from '#src/database/connect.ts';
import { retentionStartMs } from '#src/database/history.ts';
import { inTransaction, isBeginAgain, MAX_ATTEMPTS } from '#src/database/transaction.ts';
import { type IncomingMessage, isEmpty, nothingOf, type Reject, type WriteResult } from '../message.ts';
import { type Collected, collect, MAX_CHANNELS, refuseFurtherChannels, type SeriesBatch } from './collect.ts';
import { writtenPlans } from './commit.ts';
import { createFollow } from './fast-path.ts';
import { type HeadPlan, isFollowedBy } from './head.ts';
import { type HeadMemory, headMemory } from './head-memory.ts';
import { type LockedDevice, loadDevices, loadWhole } from './load.ts';
import { loadStretches } from './load-stretches.ts';
import { departedOf, saveDeparted } from './moved-accounts.ts';
import { MissingPartitions, type PartitionMonths, partitionMonths } from './partition-months.ts';
import { planDevice, validReadings } from './plan.ts';
import { type Keeping, saveRejects } from './rejected.ts';
import { StaleHeads } from './save-heads.ts';
import type { Step } from './statement.ts';
import type { Stretch, WantedStretch } from './stretch.ts';
import { touchDevices } from './touch-devices.ts';
import type { Untimed } from './untimed.ts';

export type { IncomingMessage, WriteResult } from '../message.ts';

/** So many heads that others wrote, and a quarter of a batch's: they write the same devices. Fewer an owner's change may be. */
const MANY_STALE = 16;
/** Where batches have few devices: so many of them one after the other had such heads. An owner's change is one. */
const STALE_IN_A_ROW = 3;
/** So long, and so many at most, changed devices are left to who looks for these, whatever comes of them. */
const LEFT_MS = 10_000;
const MAX_LEFT = 10_000;

/** Devices of a batch whose owners have changed a setting, and what is left to compute with it fits into a piece. */
class NotComputed extends Error {
  readonly deviceIds: readonly string[];
  constructor(deviceIds: readonly string[]) {
    super('changed devices are to be computed first');
    this.deviceIds = deviceIds;
  }
}

export interface Writer {
  /**
   * Writes a batch in one transaction: readings, load profile, aggregates, rejections. Resolves when it is committed;
   * only then may the messages be acknowledged. Rejects where the database fails, and then nothing of it is stored.
   * Any number of writers may run on the same devices, and a batch may come any number of times.
   */
  write(batch: readonly IncomingMessage[]): Promise<WriteResult>;
}

/**
 * `retentionMonths`: age beyond which readings are rejected. `maxChannels`: of a device. `keeping`: which rejections are kept (all of them). `memory`: what
 * is remembered of devices between batches. `unread`: counts of what no family reads. `pieceReadings`: about so many readings are replayed at once to work
 * edits of a device in. `now`: clock, Unix ms. `ageNow`: the clock that the age of readings is counted by (src/database/believed-time.ts). `untimed`: which series send no time.
 */
export function createWriter(
  pool: Pool,
  options: {
    retentionMonths?: number;
    maxChannels?: number;
    keeping?: Keeping;
    memory?: HeadMemory;
    unread?: UnreadMessages;
    pieceReadings?: number;
    now?: () => number;
    ageNow?: () => number;
    untimed?: Untimed;
  } = {},
): Writer {
  const {
    retentionMonths = 13,
    maxChannels = MAX_CHANNELS,
    keeping,
    pieceReadings,
    now = Date.now,
    ageNow = now,
    memory = headMemory({ now }),
  } = options;

  const months = partitionMonths(pool);
  const gateways = createGatewayHearing(options.unread);
  const follow = createFollow(memory);
  let staleInARow = 0;
  /** Changed devices that are left to who looks for these (changed-devices.ts), until when: they could not be computed, or it takes pieces. */
  const left = new Map<string, number>();
  const leave = (deviceId: string) => {
    if (left.size >= MAX_LEFT) left.clear();
    left.set(deviceId, now() + LEFT_MS);
  };
  const writer: Writer = {
    async write(batch) {
      for (let attempts = 1; ; attempts++) {
        const oldestMs = retentionStartMs(ageNow(), retentionMonths);
        let undoKeeping = () => {};
        const kept = (rejects: readonly Reject[]): readonly Reject[] => {
          if (!keeping) return rejects;
          const chosen = keeping.of(rejects, now());
          undoKeeping = () => keeping.undo(rejects, chosen);
          return chosen;
        };
        const attempt: Attempt = { deviceIds: [], remembered: 0, untimed: new Map() };
        try {
          const written = await inTransaction(pool, async (client) => {
            const { steps, result } = await prepare(client, batch, {
              oldestMs,
              maxChannels,
              ...defined({ pieceReadings, untimed: options.untimed }),
              months,
              kept,
              memory,
              follow,
              gateways,
              attempt,
              left: { has: (deviceId) => (left.get(deviceId) ?? 0) > now(), add: leave },
            });
            for (const step of steps) await step(client);
            return result;
          });
          options.untimed?.noted(attempt.untimed);
          if (attempts === 1) staleInARow = 0;
          return written;
        } catch (error) {
          // Whether it was committed may not be known: what is remembered of these devices may be no longer so.
          memory.forget(attempt.deviceIds);
          gateways.forget(batch);
          undoKeeping();
          if (error instanceof MissingPartitions) await months.make(error);
          else if (error instanceof NotComputed) {
            for (const deviceId of error.deviceIds)
              await writer.write([nothingOf(deviceId)]).catch(() => leave(deviceId));
          } else if (error instanceof StaleHeads) {
            const areMany = error.count >= MANY_STALE && error.count > attempt.remembered / 4;
            if (areMany || ++staleInARow >= STALE_IN_A_ROW) memory.stayAway();
          } else if (attempts >= MAX_ATTEMPTS || !isBeginAgain(error)) throw error;
        }
      }
    },
  };
  return writer;
}

/** What must be forgotten of a batch that is not committed. */
interface Attempt {
  /** Devices that were planned. */
  deviceIds: string[];
  /** How many of them on what was remembered. */
  remembered: number;
  /** Series that are noted with it as ones that send no time. */
  untimed: ReturnType<Untimed['missing']>;
}

/**
 * Plans, on what is remembered and without a lock, what the batch does to the other devices whose readings all follow what is stored,
 * and who say nothing else: those that close an hour.
 */
function planRemembered(memory: HeadMemory, batch: readonly IncomingMessage[], collected: Collected): HeadPlan[] {
  const others = new Set<string>();
  for (const { message } of collected.rejects) others.add(message.decoded.deviceId);
  for (const { decoded } of batch) if (decoded.status !== undefined) others.add(decoded.deviceId);
  const planned: HeadPlan[] = [];
  for (const [deviceId, arrived] of collected.series) {
    const head = others.has(deviceId) ? null : memory.get(deviceId);
    if (!head || !isFollowedBy(head, arrived)) continue;
    const plan = planDevice(head, arrived, NO_STRETCHES);
    if ('series' in plan) planned.push({ head, plan });
  }
  return planned;
}

const NO_STRETCHES: ReadonlyMap<number, readonly Stretch[]> = new Map();

interface Preparing {
  /** Readings before are older than retention keeps, Unix ms. */
  oldestMs: number;
  maxChannels: number;
  pieceReadings?: number;
  months: PartitionMonths;
  kept: (rejects: readonly Reject[]) => readonly Reject[];
  memory: HeadMemory;
  follow: ReturnType<typeof createFollow>;
  gateways: GatewayHearing;
  attempt: Attempt;
  untimed?: Untimed;
  left: { has(deviceId: string): boolean; add(deviceId: string): void };
}

/**
 * Loads what stands of the devices that are not remembered, plans what the batch makes of all of them, and answers the statements
 * that write it. What they will be is remembered at once: it must be forgotten where the transaction does not commit.
 */
async function prepare(
  client: PoolClient,
  batch: readonly IncomingMessage[],
  { oldestMs, maxChannels, pieceReadings, months, kept, memory, follow, gateways, attempt, untimed, left }: Preparing,
): Promise<{ steps: Step[]; result: WriteResult }> {
  // Judged otherwise in this transaction: nobody else can compute it before this one has committed.
  const described = new Set<string>();
  const { heard: said, ofDeparted } = await partDeparted(client, await gateways.hear(client, batch, described));
  memory.forget(described);
  if (untimed) attempt.untimed = untimed.missing(said);
  const followed = follow(said, oldestMs);
  attempt.deviceIds = [...followed.deviceIds];
  let messages = followed.others;
  const collected = collect(messages, oldestMs);
  const remembered = planRemembered(memory, messages, collected);
  const isPlanned = new Set(remembered.map(({ head }) => head.deviceId));
  attempt.deviceIds.push(...isPlanned);
  attempt.remembered = attempt.deviceIds.length;
  const deviceIds = new Set(messages.map((message) => message.decoded.deviceId));
  const silent = new Set(deviceIds);
  for (const message of messages) if (!isEmpty(message)) silent.delete(message.decoded.deviceId);
  const devices = await loadDevices(
    client,
    [...deviceIds].filter((deviceId) => !isPlanned.has(deviceId)),
    collected.series,
    {
      ...defined({ pieceReadings }),
      isLeft: (deviceId) => described.has(deviceId) || left.has(deviceId),
      silent: [...silent],
    },
  );
  attempt.deviceIds.push(...devices.keys());
  // A changed setting holds for what is told after the next message, unless it takes pieces: those wait for nobody, and nobody for them.
  const first: string[] = [];
  for (const { deviceId, pieceUntilMs } of devices.values()) {
    if (pieceUntilMs === undefined || !collected.series.has(deviceId)) continue;
    if (pieceUntilMs === Number.POSITIVE_INFINITY) first.push(deviceId);
    else left.add(deviceId);
  }
  if (first.length > 0) throw new NotComputed(first);
  const isKnown = (deviceId: string) => devices.has(deviceId) || isPlanned.has(deviceId);
  const departed = await departedOf(
    client,
    [...deviceIds].filter((deviceId) => !isKnown(deviceId)),
  );
  if (departed.size > 0) {
    const hasLeft = ({ decoded }: IncomingMessage) => departed.has(decoded.deviceId);
    ofDeparted.push(...messages.filter(hasLeft));
    messages = messages.filter((message) => !hasLeft(message));
    collected.rejects = collected.rejects.filter(({ message }) => !hasLeft(message));
  }
  const large = [...devices.values()].filter(({ rest }) => rest).map(({ deviceId }) => deviceId);
  collected.rejects.push(...refuseFurtherChannels(devices, collected, maxChannels));
  for (const [deviceId, device] of await loadWhole(client, devices, collected.series)) devices.set(deviceId, device);
  // Nothing need come of a device whose owner has changed it: it is computed anew all the same.
  for (const { deviceId, computedWith } of devices.values()) {
    if (computedWith !== null && !collected.series.has(deviceId)) collected.series.set(deviceId, new Map());
  }
  const planned = [...remembered, ...(await planDevices(client, devices, collected.series))];
  const { steps, heads } = await writtenPlans(client, followed, planned, months);
  const rejects = [...collected.rejects, ...fromUnknownDevices(messages, isKnown)];
  const heard = new Map<string, number>();
  let [stored, duplicates] = [followed.readings.length, followed.duplicates + collected.duplicates];
  for (const { head, plan } of planned) {
    const valid = validReadings(plan);
    if (valid > 0) heard.set(head.deviceId, valid);
    for (const series of plan.series) {
      stored += series.inserts.length + series.lowered.length;
      duplicates += series.duplicates;
      for (const reject of series.rejects) rejects.push(reject);
    }
  }
  const states = touchDevices(devices, heard, messages, rejects);
  if (untimed) steps.push(...untimed.save(attempt.untimed));
  steps.push(...states.steps, ...saveRejects(kept(rejects)), ...saveDeparted(ofDeparted));
  for (const { head } of heads) memory.set(head);
  memory.forget(states.touched);
  const result = {
    stored,
    duplicates,
    rejected: rejects.length,
    ...(devices.size > 0 ? { loaded: devices.size } : {}),
    ...(large.length > 0 ? { large } : {}),
    ...(ofDeparted.length > 0 ? { departed: ofDeparted.length } : {}),
  };
  return { steps, result };
}

/** Tells messages of gateways that departed with their accounts from the others; those of gateways that never were are refused. */
async function partDeparted(
  client: PoolClient,
  heard: readonly IncomingMessage[],
): Promise<{ heard: readonly IncomingMessage[]; ofDeparted: IncomingMessage[] }> {
  const unknown = new Set<string>();
  for (const { gateway } of heard) if (gateway) unknown.add(gateway.gatewayId);
  if (unknown.size === 0) return { heard, ofDeparted: [] };
  const departed = await departedOf(client, [...unknown]);
  const hasLeft = ({ gateway }: IncomingMessage) => gateway !== undefined && departed.has(gateway.gatewayId);
  return {
    heard: heard.flatMap((message) => (hasLeft(message) ? [] : message.gateway ? unknownGateway(message) : message)),
    ofDeparted: heard.filter(hasLeft),
  };
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
    // Of what was refused nothing is left to plan.
    if (head && (arrived.size > 0 || head.computedWith !== null)) open.push({ head, arrived, stretches: new Map() });
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
    await allowTimeToPlan(client, loaded);
    for (const [index, { of, stretch }] of wanted.entries()) {
      const known = of.stretches.get(stretch.seriesId) ?? [];
      of.stretches.set(stretch.seriesId, [...known, loaded[index] as Stretch]);
    }
  }
  return plans;
}

/** Beyond so many readings that a plan looks at, it has a second more for as many again before the server takes its process for hanging. */
const READINGS_A_SECOND = 50_000;

/**
 * Gives the transaction time for planning on what was loaded, in which it says nothing (database/role-settings.ts): a whole past that is
 * computed anew may be millions of readings.
 */
async function allowTimeToPlan(client: PoolClient, loaded: readonly Stretch[]): Promise<void> {
  const readings = loaded.reduce((sum, { before, points }) => sum + before.length + points.length, 0);
  const seconds = Math.floor(readings / READINGS_A_SECOND);
  if (seconds === 0) return;
  // Raw SQL: of its own transaction alone, and only where there is a limit.
  await client.query(
    `SELECT set_config(name, (setting::integer + 1000 * $1)::text, true) FROM pg_settings
     WHERE name = 'idle_in_transaction_session_timeout' AND setting <> '0'`,
    [seconds],
  );
}

const fromUnknownDevices = (batch: readonly IncomingMessage[], isKnown: (deviceId: string) => boolean): Reject[] =>
  batch
    .filter(({ decoded }) => decoded.readings.length > 0 && !isKnown(decoded.deviceId))
    .map((message) => ({ message, element: null, reason: 'unknown or deleted device' }));
