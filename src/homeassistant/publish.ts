import { createHmac } from 'node:crypto';
import type { Clock } from '#src/core/clock.ts';
import type { Logger } from '#src/core/log.ts';
import { startLoop } from '#src/core/loop.ts';
import { ADVISORY_LOCKS } from '#src/database/advisory-locks.ts';
import { createDb, type Database, type Pool } from '#src/database/connect.ts';
import { withExclusiveLock } from '#src/database/exclusive-lock.ts';
import { homeUsageTopic } from '#src/devices/topics.ts';
import {
  type Announcer,
  announcementFilter,
  availabilityTopic,
  birthTopic,
  messagesOf,
  ownTopics,
} from './announce.ts';
import { connectBroker, type HomeAssistantBroker } from './broker.ts';
import { type Owner, readHomeReport } from './home-report.ts';
import { homeUsage } from './home-usage.ts';

/** Where homes are told of, and whose. */
export interface Publishing {
  /** Of the broker that Home Assistant listens at. */
  url: string;
  prefix: string;
  /** E-mail addresses and ids of the accounts whose homes are told of. */
  users: readonly string[];
  publicUrl: string | null;
}

export interface PublisherParts {
  pool: Pool;
  clock: Clock;
  log: Logger;
  /** The installation's secret, of which the name of this installation at the broker is derived. */
  secret: string;
  /** How often what has changed is told. */
  everyMs?: number;
}

const EVERY_MS = 20_000;
/** How often a worker asks whether it is the one that publishes. */
const TAKE_OVER_MS = 3_000;
/** Home Assistant that starts again and again, or a broker that says so, is not told more often. */
const LEAST_MS = 500;
/** Topics of an earlier process that are remembered to be taken away. */
const MAX_FORMER = 10_000;

/** Tells Home Assistant of some homes, by one worker at a time. Returns how to stop, when the broker was told that. */
export function startHomeAssistant(publishing: Publishing, parts: PublisherParts): () => Promise<void> {
  const { pool, log } = parts;
  const stopping = new AbortController();
  const lead = async () => {
    const lock = ADVISORY_LOCKS.homeAssistant;
    await withExclusiveLock(pool, lock, (_session, lost) =>
      publishUntil(AbortSignal.any([stopping.signal, lost]), publishing, parts),
    );
    return 0;
  };
  const loop = startLoop('home assistant', lead, TAKE_OVER_MS, log);
  return async () => {
    stopping.abort();
    await loop.stop();
  };
}

/** The name of an installation on a broker that it may share with others: nothing of the secret is told by it. */
const installationOf = (secret: string): string =>
  createHmac('sha256', secret).update('home assistant').digest('hex').slice(0, 12);

/** Wakes whoever waits; one that is rung while nobody waits is heard at the next wait. */
interface Bell {
  ring(): void;
  /** Waits for so long, until it is over, or until the bell rings; `isDeaf`: not for that. */
  wait(ms: number, over: AbortSignal, isDeaf?: boolean): Promise<void>;
}

function newBell(): Bell {
  let rung = false;
  let end: (() => void) | undefined;
  return {
    ring() {
      rung = true;
      end?.();
    },
    async wait(ms, over, isDeaf = false) {
      if (over.aborted || (rung && !isDeaf)) rung = false;
      else
        await new Promise<void>((resolve) => {
          const done = () => {
            clearTimeout(timer);
            over.removeEventListener('abort', done);
            end = undefined;
            if (!isDeaf) rung = false;
            resolve();
          };
          const timer = setTimeout(done, ms);
          over.addEventListener('abort', done);
          if (!isDeaf) end = done;
        });
    },
  };
}

async function publishUntil(over: AbortSignal, publishing: Publishing, parts: PublisherParts): Promise<void> {
  const { pool, clock, log, everyMs = EVERY_MS } = parts;
  const db = createDb(pool);
  const announcer: Announcer = { ...publishing, installation: installationOf(parts.secret) };
  /** What the broker has of this process, and topics of which it may have something of an earlier one. */
  const told = new Map<string, string>();
  const former = new Set<string>();
  const bell = newBell();
  const tellAll = () => {
    for (const topic of told.keys()) former.add(topic);
    told.clear();
    bell.ring();
  };
  const broker = connectBroker({
    url: publishing.url,
    clientId: `energy-usage-${announcer.installation}`,
    availabilityTopic: availabilityTopic(announcer),
    filters: [birthTopic(announcer), announcementFilter(announcer)],
    onConnected: tellAll,
    onMessage(topic, payload) {
      if (topic === birthTopic(announcer)) {
        if (payload.toString() === 'online') tellAll();
        return;
      }
      const own = ownTopics(announcer, topic, payload) ?? [];
      const unknown = own.filter((one) => !told.has(one) && !former.has(one));
      if (unknown.length === 0 || former.size >= MAX_FORMER) return;
      for (const one of unknown) former.add(one);
      bell.ring();
    },
    log,
  });
  const ended = new Promise<void>((resolve) => over.addEventListener('abort', () => resolve(), { once: true }));
  const missing = new Set<string>();
  const pass = async () => {
    if (!broker.isConnected()) return;
    const wanted = await messagesNow(db, announcer, { ...publishing, now: clock(), missing, log });
    await tell(broker, wanted, { told, former, over });
  };
  try {
    while (!over.aborted) {
      const passed = pass().catch((error: Error) => {
        if (!over.aborted) log.warn({ err: error }, 'Home Assistant could not be told; trying again');
      });
      // What waits for a broker that does not answer is not waited for.
      await Promise.race([passed, ended]);
      await bell.wait(LEAST_MS, over, true);
      await bell.wait(everyMs, over);
    }
  } finally {
    await broker.close();
  }
}

/** Tells what has changed, announcements before states, and takes away what is no more. */
async function tell(
  broker: HomeAssistantBroker,
  wanted: ReadonlyMap<string, string>,
  { told, former, over }: { told: Map<string, string>; former: Set<string>; over: AbortSignal },
): Promise<void> {
  for (const [topic, payload] of wanted) {
    if (over.aborted) return;
    former.delete(topic);
    if (told.get(topic) === payload) continue;
    await broker.publish(topic, payload);
    told.set(topic, payload);
  }
  for (const topic of [...told.keys(), ...former]) {
    if (wanted.has(topic)) continue;
    await broker.publish(topic, '');
    told.delete(topic);
    former.delete(topic);
  }
}

/** The messages that hold now. `missing`: accounts of which it was logged that they are not there. */
async function messagesNow(
  db: Database,
  announcer: Announcer,
  { users, now, missing, log }: { users: readonly string[]; now: Date; missing: Set<string>; log: Logger },
): Promise<Map<string, string>> {
  const owners = await ownersOf(db, users);
  for (const name of users) {
    const isThere = owners.some(({ userId, email }) => name === userId || name.toLowerCase() === email.toLowerCase());
    if (isThere) missing.delete(name);
    else if (!missing.has(name)) {
      missing.add(name);
      log.warn(
        { account: name },
        'HOMEASSISTANT_USERS names an account that is not there: give its e-mail address, or its id',
      );
    }
  }
  const homes = [];
  const plain: [string, string][] = [];
  for (const owner of owners) {
    homes.push(await readHomeReport(db, owner, { now, isOnly: users.length === 1 }));
    plain.push([homeUsageTopic(owner.userId), JSON.stringify(await homeUsage(db, owner.userId, now))]);
  }
  return new Map([...messagesOf(announcer, homes), ...plain]);
}

/** The accounts of some e-mail addresses and ids, in order of their ids. */
async function ownersOf(db: Database, names: readonly string[]): Promise<Owner[]> {
  const lower = names.map((name) => name.toLowerCase());
  const rows = await db
    .selectFrom('users')
    .select(['user_id', 'email', 'timezone'])
    .where(({ or, eb, fn }) => or([eb('user_id', 'in', [...names]), eb(fn<string>('lower', ['email']), 'in', lower)]))
    .orderBy('user_id')
    .execute();
  return rows.map(({ user_id, email, timezone }) => ({ userId: user_id, email, zone: timezone }));
}
