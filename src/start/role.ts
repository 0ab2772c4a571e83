import { flushCompileCache } from 'node:module';
import { startOperator } from '#src/api/operator.ts';
import { urlsOfHosts } from '#src/config/addresses.ts';
import type { Config } from '#src/config/load.ts';
import type { Logger } from '#src/core/log.ts';
import { createMetrics, type Metrics } from '#src/core/metrics.ts';
import { outliveOutput } from '#src/core/output.ts';
import { startTracing } from '#src/core/tracing.ts';
import { VERSION } from '#src/core/version.ts';
import { commitFacts, commitRisks } from '#src/database/capabilities.ts';
import { createDb, createPool, type Pool, queryOn } from '#src/database/connect.ts';
import { brokerAccess } from '#src/devices/broker-access.ts';
import type { Asked } from './children.ts';
import { DATABASE_STATE, databaseState } from './metrics.ts';
import { refuseTakenPorts } from './ports.ts';

/** A role that runs in this process. */
interface Role {
  /** What a person should know of it once it is ready. */
  ready: Record<string, unknown>;
  pool: Pool;
  /** Of its database. */
  url: string;
  /** How long its stop takes by intent, before it ends anything; ms. */
  leavesForMs?: number;
  stop(): Promise<void>;
}

/** A stop that takes longer than this is ended; requests that are under way have it. */
const STOP_MS = 9_000;

/**
 * Runs a role until a signal, or until the supervisor that started it is gone: opens its listener for operators, tells the
 * supervisor when it is ready, stops in order, and ends the process.
 */
export async function runRole(
  name: string,
  config: Config,
  log: Logger,
  start: (metrics: Metrics) => Promise<Role>,
): Promise<void> {
  process.title = `energy ${name}`;
  outliveOutput();
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
  await refuseTakenPorts(config, name);
  stopTracing = await startTracing(name, { ...config.tracing, version: VERSION });
  const metrics = createMetrics(name);
  role = await start(metrics);
  const { pool } = role;
  metrics.valuesOf({ energy_role_up: '1 while the role runs' }, async () => ({ energy_role_up: 1 }));
  metrics.valuesOf(DATABASE_STATE, () => databaseState(pool));
  // Brokers wait for its answers, and not behind what the role does.
  const access = createPool(role.url, { max: 2, applicationName: `energy ${name} operator`, isAnswering: true });
  const operated = {
    metrics: async () => [await metrics.asJson()],
    health: async () => ({ [name]: 'up' }),
    publicUrl: config.publicUrl,
    access: brokerAccess(createDb(access), config.mqtt.url),
  };
  const operator = await startOperator(config.operator, operated, log);
  process.on('message', async ({ ask, number }: Asked) => {
    const answer = ask === 'metrics' ? await metrics.asJson() : 'up';
    // The supervisor may be gone meanwhile.
    if (process.connected) process.send?.({ number, answer });
  });
  const ready = { ...role.ready, operator_port: operator.port };
  log.info(ready, 'ready');
  // Not at the end only: a process that is killed has none.
  flushCompileCache();
  process.send?.({ ready: name, ...ready });
}

/** Says at the start of a role what of the database's settings could lose an acknowledged commit in a failover. `url`: as it is configured. */
export async function warnOfCommitRisks(pool: Pool, url: string, log: Logger): Promise<void> {
  for (const risk of commitRisks(await commitFacts(queryOn(pool), urlsOfHosts(url).length)))
    log.warn({ risk }, 'database');
}
