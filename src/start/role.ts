import { flushCompileCache } from 'node:module';
import { startOperatorListener } from '#src/api/operator.ts';
import { splitDatabaseUrl } from '#src/config/addresses.ts';
import type { Config } from '#src/config/load.ts';
import type { Logger } from '#src/core/log.ts';
import { Metrics } from '#src/core/metrics.ts';
import { ignoreOutputErrors } from '#src/core/output.ts';
import { startTracing } from '#src/core/tracing.ts';
import { VERSION } from '#src/core/version.ts';
import { listDurabilityRisks, readCommitSettings } from '#src/database/capabilities.ts';
import { createDatabase, createPool, createQueryFunctionOnConnection, type Pool } from '#src/database/connect.ts';
import { createBrokerAccess } from '#src/devices/broker-access.ts';
import type { RoleProcessRequest } from './children.ts';
import { DATABASE_METRICS, readDatabaseMetrics } from './metrics.ts';
import { assertPortsFree } from './ports.ts';

/** A role (ingest, API or worker) that runs in this process. */
interface Role {
  /** Values for the log line that reports that the role is ready. */
  ready: Record<string, unknown>;
  pool: Pool;
  /** URL of the role's database. */
  url: string;
  /** Additional time that the role needs to stop, in ms. */
  leavesForMs?: number;
  /** Whether clients may connect to the role. If missing, they always may. */
  isReady?(): boolean;
  stop(): Promise<void>;
}

/** Maximum time in ms for a graceful stop. After this time the process exits. */
const STOP_MS = 9_000;

/**
 * Runs a role until a signal arrives or its supervisor exits. Opens the operators' port, notifies the supervisor when the role is ready,
 * stops the role gracefully, and ends the process.
 */
export async function runRole(
  name: string,
  config: Config,
  log: Logger,
  start: (metrics: Metrics) => Promise<Role>,
): Promise<void> {
  process.title = `energy ${name}`;
  ignoreOutputErrors();
  let role: Role | undefined;
  let stopTracing = async () => {};
  let stopping = false;
  const stop = async (why: string) => {
    if (stopping) return;
    stopping = true;
    log.info({ why }, 'stopping');
    setTimeout(() => process.exit(1), STOP_MS + (role?.leavesForMs ?? 0)).unref();
    await role?.stop().catch((error: Error) => log.error({ err: error }, 'stop'));
    await stopTracing().catch(() => {});
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => void stop(signal));
  process.on('disconnect', () => void stop('the supervisor is gone'));
  await assertPortsFree(config, name);
  stopTracing = await startTracing(name, { ...config.tracing, version: VERSION });
  const metrics = new Metrics(name);
  role = await start(metrics);
  const { pool } = role;
  metrics.valuesOf({ energy_role_up: '1 while the role runs' }, async () => ({ energy_role_up: 1 }));
  metrics.valuesOf(DATABASE_METRICS, () => readDatabaseMetrics(pool));
  // The queries of brokers (may this device connect?) have their own pool, because a broker waits for the answer.
  const access = createPool(role.url, { max: 2, applicationName: `energy ${name} operator`, isAnswering: true });
  const operated = {
    metrics: async () => [await metrics.asJson()],
    health: async () => ({ [name]: 'up' }),
    isReady: () => !stopping && (role?.isReady?.() ?? true),
    publicUrl: config.publicUrl,
    access: createBrokerAccess(createDatabase(access), config.mqtt.url),
  };
  const operator = await startOperatorListener(config.operator, operated, log);
  process.on('message', async ({ ask, number }: RoleProcessRequest) => {
    const answer = ask === 'metrics' ? await metrics.asJson() : 'up';
    // The supervisor may have exited while the answer was prepared.
    if (process.connected) process.send?.({ number, answer });
  });
  const ready = { ...role.ready, operator_port: operator.port };
  log.info(ready, 'ready');
  // Writes the compile cache now, because a killed process never runs its exit handler.
  flushCompileCache();
  process.send?.({ ready: name, ...ready });
}

/** Logs database settings with which a failover could lose an acknowledged commit. `url`: the configured URL. */
export async function warnOfDurabilityRisks(pool: Pool, url: string, log: Logger): Promise<void> {
  for (const risk of listDurabilityRisks(
    await readCommitSettings(createQueryFunctionOnConnection(pool), splitDatabaseUrl(url).length),
  ))
    log.warn({ risk }, 'database');
}
