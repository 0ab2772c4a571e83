import { setTimeout as pause } from 'node:timers/promises';
import type { HomeUsageSource } from '#ingest/source/home-topics.ts';
import { startIngest } from '#ingest/start.ts';
import { createTrustedProxyChecker } from '#src/api/trusted-proxies.ts';
import { createDatabaseRequestCounter } from '#src/auth/database-counter.ts';
import type { RequestCounter } from '#src/auth/request-counter.ts';
import { formatHostAndPort, maskUrl } from '#src/config/addresses.ts';
import type { Config } from '#src/config/load.ts';
import { systemClock } from '#src/core/clock.ts';
import { AppError } from '#src/core/errors.ts';
import { createLog } from '#src/core/log.ts';
import type { Metrics } from '#src/core/metrics.ts';
import { startBelievedTimeUpdates } from '#src/database/believed-time.ts';
import { createDatabase, createPool, type Database, getSessionSettingsOfRole } from '#src/database/connect.ts';
import { findDatabaseUrl } from '#src/database/locate.ts';
import { migrate } from '#src/database/migrate.ts';
import { waitForDatabase } from '#src/database/unavailable.ts';
import { findLatestReadingVersions } from '#src/devices/newest-readings.ts';
import { readHomeUsageReport } from '#src/homeassistant/home-report.ts';
import { isBatchSecretValid } from '#src/onboarding/batches.ts';
import {
  createMeterClaimLimiter,
  METER_CLAIM_REPLY_TOPIC,
  METER_CLAIM_TOPIC,
  meterClaimMessageSchema,
  processMeterClaim,
} from '#src/onboarding/claims.ts';
import { loadTlsPair, watchCertificate } from './certificate.ts';
import { registerCertificateMetric } from './metrics.ts';
import { runRole, warnOfDurabilityRisks } from './role.ts';

/** Returns the broker's address for the log, without credentials. */
function brokerUrl({ mqtt }: Config, ports: { tlsPort: number } | null): string {
  return mqtt.url ? maskUrl(mqtt.url) : `mqtts://${formatHostAndPort(mqtt.publicHost, ports?.tlsPort ?? mqtt.tlsPort)}`;
}

/** Returns the source from which the embedded broker reads the usage of homes, to publish it to their gateways. */
const homesOf = (db: Database): HomeUsageSource => ({
  async read(userId) {
    const usage = await readHomeUsageReport(db, userId, systemClock());
    return usage && JSON.stringify(usage);
  },
  marks: async (userIds) =>
    new Map((await findLatestReadingVersions(db, userIds)).map(({ user_id, mark }) => [user_id, mark])),
});

/**
 * Maximum time in ms for batches in progress at shutdown. An uncommitted batch was never acknowledged, so its messages are delivered again.
 */
const LAST_BATCH_MS = 500;

/** Runs the ingest role, which receives messages, writes rows and acknowledges the messages. */
export async function runIngest(config: Config): Promise<void> {
  const log = createLog('ingest', config.log);
  await runRole('ingest', config, log, async (metrics) => {
    const url = await findDatabaseUrl(config);
    const pool = createPool(url, {
      max: 8,
      applicationName: 'energy ingest',
      settings: getSessionSettingsOfRole('ingest'),
    });
    await waitForDatabase(pool, log);
    const { database } = await migrate(pool, config.database);
    await warnOfDurabilityRisks(pool, url, log);
    const tls = await loadTlsPair(config, log);
    const onSessionLost = () => {
      log.warn('another worker has taken over the session at the broker: this one ends, and restarts on standby');
      process.exit(1);
    };
    const db = createDatabase(pool);
    const believed = await startBelievedTimeUpdates(pool, { clock: systemClock, log });
    // This counter limits only the claims from a network, not the requests of an account, so it needs no limits of plans.
    const claims = createBrokerMeterClaimHandlers(db, createDatabaseRequestCounter(db, {}, systemClock));
    const isProxy = createTrustedProxyChecker(config.api.trustProxy);
    const parts = { pool, tls, believed, claims, homes: homesOf(db), isProxy, onSessionLost, log };
    const ingest = await startIngest(config, parts);
    // Only the embedded broker uses the service's certificate.
    const certificate = config.mqtt.url ? null : watchCertificate(config, tls, ingest.renewTls, log);
    if (certificate) registerCertificateMetric(metrics, certificate);
    reportMetrics(metrics, ingest);
    return {
      ready: {
        broker: config.mqtt.url ? 'external' : 'embedded',
        url: brokerUrl(config, ingest.ports),
        ...(ingest.isStandingBy() ? { standing_by: true } : {}),
        ...ingest.ports,
        database: database.line,
      },
      pool,
      url,
      isReady: ingest.isReady,
      // With an external broker, no device is connected to this process, so it stops without waiting.
      ...(ingest.ports ? { leavesForMs: config.api.drainSeconds * 1_000 } : {}),
      async stop() {
        certificate?.stop();
        believed.stop();
        await ingest.stop();
        await Promise.race([pool.end(), pause(LAST_BATCH_MS)]);
      },
    };
  });
}

/** Registers the metrics of a running ingest. */
function reportMetrics(metrics: Metrics, ingest: Awaited<ReturnType<typeof startIngest>>): void {
  const { counts } = ingest;
  const totals: [name: string, help: string, read: () => number][] = [
    ['energy_messages_received_total', 'Received MQTT messages', () => counts.received],
    ['energy_messages_committed_total', 'Messages whose readings were committed', () => counts.committed],
    ['energy_readings_stored_total', 'Readings stored', () => counts.stored],
    ['energy_readings_duplicate_total', 'Readings that were already stored', () => counts.duplicates],
    ['energy_readings_rejected_total', 'Messages and elements that could not be used', () => counts.rejected],
    [
      'energy_rejections_not_kept_total',
      'Rejected messages that were only counted, because too many were stored in that hour',
      ingest.unstoredRejectionCount,
    ],
    ['energy_messages_over_limit_total', 'Messages above the limit of their device', () => counts.overLimit],
    [
      'energy_messages_departed_total',
      'Stored messages of accounts that moved to another installation',
      () => counts.departed,
    ],
    [
      'energy_heads_loaded_total',
      'Devices that were loaded from the database, because they were not cached (HEAD_MEMORY_MIB)',
      () => counts.loaded,
    ],
  ];
  for (const [name, help, read] of totals) metrics.countOf(name, help, read);
  const values: [name: string, help: string, read: () => number | undefined][] = [
    [
      'energy_broker_connected',
      '1 while the broker is connected (embedded: always); no value on standby',
      () => (ingest.isStandingBy() ? undefined : ingest.isConnected() ? 1 : 0),
    ],
    [
      'energy_devices_not_computed',
      'Changed or edited devices whose past could not be recomputed at the last attempt; the log has the reason',
      () => ingest.notComputed(),
    ],
    ['energy_messages_waiting', 'Messages that wait for their commit', () => ingest.waiting()],
    [
      'energy_ingest_standing_by',
      '1 if another worker has the session at the broker, and this one is on standby',
      () => (ingest.isStandingBy() ? 1 : 0),
    ],
    [
      'energy_stray_messages',
      'Messages at a broker cluster that belong to no device, stored for inspection',
      () => ingest.strays() ?? undefined,
    ],
  ];
  for (const [name, help, read] of values)
    metrics.valuesOf({ [name]: help }, async (): Promise<Record<string, number>> => {
      const value = read();
      return value === undefined ? {} : { [name]: value };
    });
}

/** Handles claims of meters at the embedded broker. */
export function createBrokerMeterClaimHandlers(db: Database, counter: RequestCounter) {
  const gate = createMeterClaimLimiter(counter);
  return {
    prefix: 'prb_',
    topic: METER_CLAIM_TOPIC,
    replyTopic: METER_CLAIM_REPLY_TOPIC,
    check: (batchId: string, secret: string) => isBatchSecretValid(db, batchId, secret),
    /** Returns the answer to a meter as JSON. Null if its network had too many refused claims. */
    async claim(batchId: string, payload: Buffer, address: string): Promise<string | null> {
      const message = meterClaimMessageSchema.safeParse(jsonOf(payload));
      if (!message.success) {
        const [issue] = message.error.issues;
        const error = `${issue?.path.join('.') || 'message'}: ${issue?.message}`;
        return JSON.stringify({ error, status: 422 });
      }
      try {
        const answer = await gate(address, () =>
          processMeterClaim(db, batchId, message.data, { now: new Date(), address }),
        );
        return JSON.stringify(answer ?? { error: 'The claim is refused', status: 403 });
      } catch (error) {
        if (error instanceof AppError && error.is === 'tooManyRequests') return null;
        throw error;
      }
    },
  };
}

function jsonOf(payload: Buffer): unknown {
  try {
    return JSON.parse(payload.toString('utf8'));
  } catch {
    return undefined;
  }
}
