import type { AddressInfo } from 'node:net';
import Fastify, { type FastifyInstance } from 'fastify';
import { addBrokerAuthRoutes } from '#src/api/broker-calls.ts';
import type { Database } from '#src/database/connect.ts';
import { createBrokerAccess } from '#src/devices/broker-access.ts';

/** Starts the HTTP endpoint that brokers call to authenticate clients, on a loopback port. */
export async function startBrokerAuthEndpoint(
  db: Database,
  mqttUrl?: string,
): Promise<{ app: FastifyInstance; url: string }> {
  const app = Fastify({ forceCloseConnections: true });
  addBrokerAuthRoutes(app, createBrokerAccess(db, mqttUrl));
  await app.listen({ host: '127.0.0.1', port: 0 });
  return { app, url: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}` };
}
