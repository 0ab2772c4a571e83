import { createHmac } from 'node:crypto';
import type { Config } from '#src/config/load.ts';
import type { Clock } from '#src/core/clock.ts';
import type { Logger } from '#src/core/log.ts';
import { pause, startLoop, WakeUpSignal } from '#src/core/loop.ts';
import { ADVISORY_LOCKS } from '#src/database/advisory-locks.ts';
import { createDatabase, type Database, type Pool } from '#src/database/connect.ts';
import { withExclusiveLock } from '#src/database/exclusive-lock.ts';
import { getHomeUsageTopic } from '#src/devices/topics.ts';
import {
  type AnnouncementSettings,
  buildAnnouncementMessages,
  findOwnAnnouncedTopics,
  getAnnouncementFilter,
  getAvailabilityTopic,
  getBirthTopic,
} from './announce.ts';
import { connectBroker, type HomeAssistantBroker } from './broker.ts';
import { type HomeReportAccount, readHomeReport, readHomeUsageReport } from './home-report.ts';

/** The broker to publish to, and the accounts whose homes are published, by e-mail address or id. */
type HomeAssistantPublishing = NonNullable<Config['homeAssistant']> & { publicUrl: string | null };

interface PublisherParts {
  pool: Pool;
  clock: Clock;
  log: Logger;
  /** The installation's secret, from which its name on the broker is derived. */
  secret: string;
  /** Interval in ms at which changes are published. */
  everyMs?: number;
}

const EVERY_MS = 20_000;
/** Interval in ms at which the other workers try to take over publishing. */
const TAKE_OVER_MS = 3_000;
/** Minimum time in ms between two publications of all messages. */
const MIN_INTERVAL_MS = 500;
/** Maximum number of topics that wait to be cleared, because an earlier process may have left a message on them. */
const MAX_OUTDATED_TOPICS = 10_000;

/** Publishes homes to Home Assistant, from one worker at a time. Returns a function that stops publishing. */
export function startHomeAssistantPublisher(
  publishing: HomeAssistantPublishing,
  parts: PublisherParts,
): () => Promise<void> {
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

/** Returns the name of this installation on a shared broker. It does not reveal the secret. */
const installationOf = (secret: string): string =>
  createHmac('sha256', secret).update('home assistant').digest('hex').slice(0, 12);

async function publishUntil(
  over: AbortSignal,
  publishing: HomeAssistantPublishing,
  parts: PublisherParts,
): Promise<void> {
  const { pool, clock, log, everyMs = EVERY_MS } = parts;
  const db = createDatabase(pool);
  const announcer: AnnouncementSettings = { ...publishing, installation: installationOf(parts.secret) };
  /**
   * Retained messages that this process has published, by topic. `outdated`: topics on which an earlier process may have left a message.
   */
  const published = new Map<string, string>();
  const outdated = new Set<string>();
  const wakeUp = new WakeUpSignal();
  const republishAll = () => {
    for (const topic of published.keys()) outdated.add(topic);
    published.clear();
    wakeUp.raise();
  };
  const broker = connectBroker({
    url: publishing.url,
    clientId: `energy-usage-${announcer.installation}`,
    availabilityTopic: getAvailabilityTopic(announcer),
    filters: [getBirthTopic(announcer), getAnnouncementFilter(announcer)],
    onConnected: republishAll,
    onMessage(topic, payload) {
      if (topic === getBirthTopic(announcer)) {
        if (payload.toString() === 'online') republishAll();
        return;
      }
      const own = findOwnAnnouncedTopics(announcer, topic, payload) ?? [];
      const unknown = own.filter((one) => !published.has(one) && !outdated.has(one));
      if (unknown.length === 0 || outdated.size >= MAX_OUTDATED_TOPICS) return;
      for (const one of unknown) outdated.add(one);
      wakeUp.raise();
    },
    log,
  });
  const ended = new Promise<void>((resolve) => over.addEventListener('abort', () => resolve(), { once: true }));
  const missing = new Set<string>();
  const pass = async () => {
    if (!broker.isConnected()) return;
    const wanted = await buildCurrentMessages(db, announcer, { ...publishing, now: clock(), missing, log });
    await publishChanges(broker, wanted, { published, outdated, over });
  };
  try {
    while (!over.aborted) {
      const passed = pass().catch((error: Error) => {
        if (!over.aborted) log.warn({ err: error }, 'publishing to Home Assistant failed; trying again');
      });
      // Does not wait until publishing is complete, because the broker may not respond.
      await Promise.race([passed, ended]);
      await pause(MIN_INTERVAL_MS, over);
      await wakeUp.wait(everyMs, over);
    }
  } finally {
    await broker.close();
  }
}

/** Publishes the messages that have changed, announcements before states. Clears the topics that no longer have a message. */
async function publishChanges(
  broker: HomeAssistantBroker,
  wanted: ReadonlyMap<string, string>,
  { published, outdated, over }: { published: Map<string, string>; outdated: Set<string>; over: AbortSignal },
): Promise<void> {
  for (const [topic, payload] of wanted) {
    if (over.aborted) return;
    outdated.delete(topic);
    if (published.get(topic) === payload) continue;
    await broker.publish(topic, payload);
    published.set(topic, payload);
  }
  for (const topic of [...published.keys(), ...outdated]) {
    if (wanted.has(topic)) continue;
    await broker.publish(topic, '');
    published.delete(topic);
    outdated.delete(topic);
  }
}

/** Returns the messages to publish now, by topic. `missing`: unknown accounts that were already logged. */
async function buildCurrentMessages(
  db: Database,
  announcer: AnnouncementSettings,
  { users, now, missing, log }: { users: readonly string[]; now: Date; missing: Set<string>; log: Logger },
): Promise<Map<string, string>> {
  const owners = await findAccounts(db, users);
  for (const name of users) {
    const exists = owners.some(({ userId, email }) => name === userId || name.toLowerCase() === email.toLowerCase());
    if (exists) missing.delete(name);
    else if (!missing.has(name)) {
      missing.add(name);
      log.warn(
        { account: name },
        'HOMEASSISTANT_USERS names an account that does not exist: give its e-mail address or its id',
      );
    }
  }
  const homes = [];
  const plain: [string, string][] = [];
  for (const owner of owners) {
    homes.push(await readHomeReport(db, owner, { now, isOnly: users.length === 1 }));
    plain.push([getHomeUsageTopic(owner.userId), JSON.stringify(await readHomeUsageReport(db, owner.userId, now))]);
  }
  return new Map([...buildAnnouncementMessages(announcer, homes), ...plain]);
}

/** Returns the accounts with these e-mail addresses or ids, ordered by id. */
async function findAccounts(db: Database, names: readonly string[]): Promise<HomeReportAccount[]> {
  const lower = names.map((name) => name.toLowerCase());
  const rows = await db
    .selectFrom('users')
    .select(['user_id', 'email', 'timezone'])
    .where(({ or, eb, fn }) => or([eb('user_id', 'in', [...names]), eb(fn<string>('lower', ['email']), 'in', lower)]))
    .orderBy('user_id')
    .execute();
  return rows.map(({ user_id, email, timezone }) => ({ userId: user_id, email, zone: timezone }));
}
