import { randomUUID, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { isAmqpUrl, isLoopback, parseAmqpUrl } from '#src/config/addresses.ts';
import { type Config, DEFAULT_SHARD_COUNT } from '#src/config/load.ts';
import type { Logger } from '#src/core/log.ts';
import { omitUndefined } from '#src/core/omit-undefined.ts';
import type { BelievedTime } from '#src/database/believed-time.ts';
import { createDatabase, type Database, type Pool } from '#src/database/connect.ts';
import { findInvalidCertificates, findLoginOfCertificate } from '#src/devices/certificates.ts';
import { authenticateDevice, findDeviceLoginOwner, findInvalidLogins } from '#src/devices/credentials.ts';
import { createLoginProcessRegistry } from '#src/devices/login-processes.ts';
import { findTopicOfRoutingKey, ROUTING_KEYS, TOPIC_FILTERS } from '#src/devices/topics.ts';
import type { PipelineCounts } from './batch-writer.ts';
import {
  createUnrecognisedMessageCounter,
  saveUnrecognisedCounts,
  startSavingUnrecognisedCounts,
  type UnrecognisedMessageCounter,
} from './gateways/unrecognised.ts';
import { Pipeline } from './pipeline.ts';
import { startReceiptStamper } from './receipts.ts';
import type { ClientCertificates } from './source/broker-logins.ts';
import type { MeterClaimOptions } from './source/claiming.ts';
import type { HomeUsageSource } from './source/home-topics.ts';
import type { MessageReceiver, MessageSource } from './source/source.ts';
import { watchChangedDevices } from './write/changed-devices.ts';
import { createDeviceHeadCache } from './write/head-cache.ts';
import { createRejectionQuota } from './write/save-rejections.ts';
import { createUntimedSeriesRecorder } from './write/untimed-series.ts';
import { createReadingBatchWriter } from './write/writer.ts';

/** Maximum time in ms that a shutdown takes to commit accepted messages. The broker redelivers the others. */
const DRAIN_MS = 2_000;
/** Additional time in ms in which a shutdown writes the counts of unrecognised messages. */
const LAST_COUNTS_MS = 1_000;

const OPEN_WITHOUT_TLS =
  'MQTT without TLS listens beyond this machine (MQTT_HOST): whoever is on the way reads passwords and readings. Use it in a network of your own, and MQTTS_PORT for every device that can do TLS';

interface RunningIngest {
  counts: PipelineCounts;
  waiting(): number;
  unstoredRejectionCount(): number;
  notComputed(): number;
  isConnected(): boolean;
  /** Number of messages at a broker cluster that belong to neither a device nor a gateway. Null if unknown. */
  strays(): number | null;
  /** Whether this worker is on standby because another one is active at the broker. */
  isStandingBy(): boolean;
  ports: { port: number; tlsPort: number } | null;
  /** Uses a new certificate for new connections of the embedded broker. */
  renewTls(pair: { cert: Buffer; key: Buffer }): void;
  isReady(): boolean;
  stop(): Promise<void>;
}

/** Reads the certificates (PEM) of the authorities that sign client certificates. Throws if the file contains none. */
async function clientAuthority(file: string | undefined): Promise<Buffer | undefined> {
  if (file === undefined) return undefined;
  const fileError = (why: string) => new Error(`MQTTS_CLIENT_CA_FILE: ${file} ${why}`);
  const ca = await readFile(file).catch((error: Error) => {
    throw fileError(`cannot be read (${error.message})`);
  });
  const found = String(ca).match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (found.length === 0) throw fileError('has no certificate (PEM) in it');
  try {
    for (const pem of found) new X509Certificate(pem);
  } catch {
    throw fileError('has a certificate in it that cannot be read');
  }
  return ca;
}

/** The parts of the service that message intake needs. */
interface IngestDependencies {
  pool: Pool;
  tls: { cert: Buffer; key: Buffer };
  /** Handlers for meters that claim their identity at the broker. */
  claims?: MeterClaimOptions;
  /** Called when another worker has taken over the session of this worker at the broker. The process must then be restarted. */
  onSessionLost: () => void;
  /** Usage that the embedded broker publishes to homes. */
  homes?: HomeUsageSource;
  /** Whether an address is that of a trusted proxy (TRUST_PROXY). */
  isProxy?(address: string | undefined): boolean;
  /** Clock with the time that the installation assumes to be right. */
  believed: BelievedTime;
  log: Logger;
}

/** Starts message intake. The source of messages is the embedded broker or, if MQTT_URL is set, an external one. */
export async function startIngest(config: Config, parts: IngestDependencies): Promise<RunningIngest> {
  const { pool, believed, log } = parts;
  const rejectionQuota = createRejectionQuota();
  const unread = createUnrecognisedMessageCounter();
  const receipts = await startReceiptStamper(pool, { believedMs: believed.nowMs, log });
  const writer = createReadingBatchWriter(pool, {
    ageNow: () => believed.ageClock().getTime(),
    untimed: createUntimedSeriesRecorder(receipts.host),
    retentionMonths: config.retentionMonths,
    maxChannels: config.maxChannels,
    rejectionQuota,
    unread,
    memory: createDeviceHeadCache(
      config.headMemoryMib === undefined ? {} : { maxBytes: config.headMemoryMib * 2 ** 20 },
    ),
  });
  let connected: Connected | undefined;
  const pipeline = new Pipeline({ writer, log, onRoom: (account) => connected?.source.resume(account) });
  const receive = receipts.stamp(pipeline, () => connected?.source.resume());
  connected = await connectSource(config, parts, receive);
  const { source, strays, isStandingBy, ports, renewTls, isReady } = connected;
  // Earlier requests to resume the source had no effect, because `connected` was not set yet.
  source.resume();
  const changedDevices = watchChangedDevices(pool, writer, log);
  const savingUnread = startSavingUnrecognisedCounts(pool, unread, log);
  return {
    counts: pipeline.counts,
    waiting: pipeline.waiting,
    unstoredRejectionCount: () => rejectionQuota.unstoredCount,
    notComputed: changedDevices.failing,
    isConnected: () => source.isConnected(),
    strays: strays ?? (() => null),
    isStandingBy: isStandingBy ?? (() => false),
    ports: ports ?? null,
    renewTls: renewTls ?? (() => {}),
    isReady: isReady ?? (() => true),
    async stop() {
      const untilMs = performance.now() + DRAIN_MS + (ports ? drainMs(config) : 0);
      await source.leave().catch((error: Error) => log.debug({ err: error }, 'not left'));
      source.pause();
      void changedDevices.stop();
      // Not awaited, because committing messages is more urgent.
      const noted = receipts.stop().catch((error: Error) => log.debug({ err: error }, 'newest receipt not noted'));
      await pipeline.drain(Math.max(0, untilMs - performance.now()));
      await source.close();
      const saved = saveLastCounts(pool, unread, savingUnread).catch((error: Error) =>
        log.debug({ err: error }, 'counts of unread messages not written'),
      );
      await Promise.race([Promise.all([saved, noted]), pause(LAST_COUNTS_MS, undefined, { ref: false })]);
    },
  };
}

const drainMs = (config: Config): number => config.api.drainSeconds * 1_000;

async function saveLastCounts(
  pool: Pool,
  unread: UnrecognisedMessageCounter,
  saving: { stop(): Promise<void> },
): Promise<void> {
  await saving.stop();
  while ((await saveUnrecognisedCounts(pool, unread, true)) > 0);
}

type Connected = { source: MessageSource } & Partial<
  Pick<RunningIngest, 'strays' | 'isStandingBy' | 'ports' | 'renewTls' | 'isReady'>
>;

/** Connects to the broker or cluster of MQTT_URL, or starts the embedded broker. Imports only the library that it needs. */
function connectSource(config: Config, parts: IngestDependencies, receive: MessageReceiver): Promise<Connected> {
  const { url } = config.mqtt;
  if (url === undefined) return embeddedBroker(config, parts, receive);
  return isAmqpUrl(url) ? clusterSource(url, config, parts, receive) : standbySource(url, config, parts, receive);
}

async function clusterSource(
  url: string,
  config: Config,
  parts: IngestDependencies,
  receive: MessageReceiver,
): Promise<Connected> {
  const { pool, log } = parts;
  const address = parseAmqpUrl(url);
  if (!address) throw new Error('MQTT_URL is not the URL of a broker cluster');
  const shards = await storeShardCountOnce(pool, config.mqtt.shards);
  const topics = { routingKeys: ROUTING_KEYS, topicOf: findTopicOfRoutingKey };
  const { startAmqpSource } = await import('./source/amqp/amqp-source.ts');
  const source = await startAmqpSource({ url: address, shards, ...topics, receive, log });
  return { source, strays: () => source.strays() };
}

async function standbySource(
  url: string,
  config: Config,
  parts: IngestDependencies,
  receive: MessageReceiver,
): Promise<Connected> {
  const { pool, onSessionLost: onLost, log } = parts;
  const { environment } = config;
  const { startStandbyClient } = await import('./source/standby-client.ts');
  const source = await startStandbyClient({ url, pool, environment, topics: TOPIC_FILTERS, receive, onLost, log });
  return { source, isStandingBy: () => source.isStandingBy() };
}

async function embeddedBroker(config: Config, parts: IngestDependencies, receive: MessageReceiver): Promise<Connected> {
  const { pool, tls, homes, claims, isProxy, log } = parts;
  const db = createDatabase(pool);
  const { host, port, tlsHost, tlsPort } = config.mqtt;
  const ca = await clientAuthority(config.mqtt.clientCaFile);
  if (!isLoopback(host)) log.warn({ host, port }, OPEN_WITHOUT_TLS);
  const { startEmbeddedBroker } = await import('./source/embedded-broker.ts');
  const source = await startEmbeddedBroker({
    host,
    port,
    tlsHost,
    tlsPort,
    tls,
    findLogin: (username, secret) => authenticateDevice(db, username, secret),
    endedLogins: (logins) => findInvalidLogins(db, logins),
    places: createLoginProcessRegistry(db, randomUUID()),
    drainMs: drainMs(config),
    ...omitUndefined({ homes, claims, isProxy, certificates: ca && clientCertificates(db, ca) }),
    receive,
    log,
  });
  const { renewTls, isReady } = source;
  return { source, renewTls, isReady, ports: { port: source.port, tlsPort: source.tlsPort } };
}

const clientCertificates = (db: Database, ca: Buffer): ClientCertificates => ({
  ca,
  async loginOf(certificate) {
    const username = await findLoginOfCertificate(db, certificate);
    const owner = username === null ? null : await findDeviceLoginOwner(db, username);
    return username !== null && owner ? { username, owner } : null;
  },
  ended: (sessions) => findInvalidCertificates(db, sessions),
});

/**
 * Returns the number of queues (shards) of a broker cluster. It is fixed at the first start, because it determines the queue of each
 * device. Throws an error with instructions if another number is configured later.
 */
export async function storeShardCountOnce(pool: Pool, wanted: number | undefined): Promise<number> {
  // Raw SQL: a single statement, so that the first of several workers determines the number.
  const { rows } = await pool.query('UPDATE installation SET shards = coalesce(shards, $1) RETURNING shards', [
    wanted ?? DEFAULT_SHARD_COUNT,
  ]);
  const { shards } = rows[0];
  if (wanted !== undefined && wanted !== shards) {
    throw new Error(
      `SHARDS is ${wanted}, and this installation began with ${shards}: a device's messages would go to another queue while its ` +
        `earlier ones still wait. Set SHARDS to ${shards}, or leave it out.`,
    );
  }
  return shards;
}
