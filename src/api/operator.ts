import type { AddressInfo } from 'node:net';
import Fastify from 'fastify';
import type { Logger } from '#src/core/log.ts';
import { METRICS_TYPE, mergedText } from '#src/core/metrics.ts';
import type { BrokerAccess } from '#src/devices/broker-access.ts';
import { answerBrokers } from './broker-calls.ts';

/** What the operator's listener tells of. */
export interface Operated {
  /** Metrics of this process, or of all that it supervises. */
  metrics(): Promise<object[][]>;
  /** State by role; the listener answers 503 where one is not `up`. */
  health(): Promise<Record<string, string>>;
  /** Whom a broker lets in. */
  access: BrokerAccess;
}

/**
 * The listener for operators, not for clients: `/metrics` (Prometheus), `/healthz`, the calls of brokers below
 * `/internal/mqtt/`, and `/metrics.json`, from which a supervisor puts the metrics of its processes together. Plain HTTP, on the loopback unless OPERATOR_HOST says otherwise.
 */
export async function startOperator(
  { host, port }: { host: string; port: number },
  operated: Operated,
  log: Logger,
): Promise<{ port: number | null; stop(): Promise<void> }> {
  const app = Fastify({ forceCloseConnections: true });
  app.get('/metrics', async (_request, reply) =>
    reply.type(METRICS_TYPE).send(await mergedText(await operated.metrics())),
  );
  app.get('/metrics.json', async () => (await operated.metrics()).flat());
  app.get('/healthz', async (_request, reply) => {
    const roles = await operated.health();
    const isWell = Object.values(roles).every((state) => state === 'up');
    return reply.status(isWell ? 200 : 503).send({ status: isWell ? 'ok' : 'degraded', roles });
  });
  answerBrokers(app, operated.access);
  try {
    await app.listen({ host, port });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    // Several roles on one machine, and one port for all of them: no reason not to take readings.
    log.warn({ port }, 'no metrics: the operator port is in use; set OPERATOR_PORT to another one');
    return { port: null, stop: async () => {} };
  }
  return { port: (app.server.address() as AddressInfo).port, stop: () => app.close() };
}
