import { setTimeout } from 'node:timers/promises';
import { defined } from '#src/core/defined.ts';
import type { Logger } from '#src/core/log.ts';
import type { Pool } from '#src/database/connect.ts';
import { type MqttSource, type Subscription, startMqttClient } from './mqtt-client.ts';
import { type Slot, takeSlot } from './slot.ts';
import type { Receive, Source } from './source.ts';

/** How often a worker checks whether others have come or gone. */
const LOOK_MS = 5_000;
/** How long a stop waits for a check that is under way. */
const LAST_LOOK_MS = 2_000;

/**
 * This worker's share of what an external broker has: a session of its own, and, one after the other, those of workers that
 * are gone, until they are empty. `onSlotLost`: another worker has this one's place; the process must end, and begin anew.
 */
export async function startSharedClient(options: {
  url: string;
  pool: Pool;
  environment: string;
  /** Filters of the topics that are asked for. */
  topics: readonly string[];
  receive: Receive;
  onSlotLost: () => void;
  log: Logger;
}): Promise<Source> {
  const { url, pool, environment, topics, receive, onSlotLost, log } = options;
  const client = (clientId: string, subscription: Subscription, onMade?: (made: MqttSource) => void) =>
    startMqttClient({ url, clientId, topics, subscription, receive, log, ...defined({ onMade }) });
  const slot = await takeSlot(pool, environment);
  slot.whenLost(onSlotLost, log);
  await slot.note(true);
  const subscription = async () => ((await slot.hasOthers()) ? 'shared' : 'alone');
  const own = await client(slot.clientId, await subscription());
  const sources = new Set<MqttSource>([own]);
  let stopped = false;
  let looking: Promise<void> = Promise.resolve();

  async function adopt(): Promise<void> {
    for (let orphan = await slot.takeOrphan(); orphan; orphan = await slot.takeOrphan()) {
      log.info({ slot: orphan.number }, 'taking over the session of a worker that is gone');
      // Broker and database may go meanwhile: then it is given back, and taken again with the next look.
      try {
        await takeOver(orphan);
      } finally {
        await orphan.release();
      }
      if (stopped) return;
    }
  }
  async function takeOver(orphan: Slot): Promise<void> {
    // Known before its first message, which a session delivers at once: one that is told to pause must be told to go on.
    const source = await client(orphan.clientId, 'none', (made) => sources.add(made));
    try {
      let isEmpty = false;
      while (!isEmpty && !stopped) isEmpty = await source.empty();
      if (isEmpty) await orphan.note(false);
    } finally {
      await source.close().finally(() => sources.delete(source));
    }
  }
  async function look(): Promise<void> {
    if (stopped) return;
    await own.subscribe(await subscription());
    await adopt();
  }
  const timer = setInterval(() => {
    looking = looking.then(look).catch((error: Error) => log.debug({ err: error }, 'could not look for other workers'));
  }, LOOK_MS);
  timer.unref();

  return {
    pause() {
      for (const source of sources) source.pause();
    },
    resume() {
      for (const source of sources) source.resume();
    },
    async leave() {
      stopped = true;
      clearInterval(timer);
      // A place that is being emptied here looks like another worker's: to be told that others stay, it must be given back.
      const isOver = await Promise.race([looking.then(() => true), setTimeout(LAST_LOOK_MS, false, { ref: false })]);
      const { othersStay } = await slot.release();
      if (!othersStay || !isOver) return;
      // What is left, the others take over.
      if (await own.empty()) await slot.note(false);
    },
    async close() {
      await own.close();
    },
  };
}
