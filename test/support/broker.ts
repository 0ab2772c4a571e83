import { pino } from 'pino';
import { generate } from 'selfsigned';
import { type BrokerOptions, type EmbeddedBroker, startEmbeddedBroker } from '#ingest/source/embedded-broker.ts';

/**
 * Starts the embedded broker without a database. It accepts every message and every login; each login belongs to a separate home. `given`:
 * other options.
 */
export async function startBroker(given: Partial<BrokerOptions> = {}): Promise<EmbeddedBroker> {
  const pair = await generate([{ name: 'commonName', value: 'localhost' }]);
  return startEmbeddedBroker({
    host: '127.0.0.1',
    port: 0,
    tlsHost: '127.0.0.1',
    tlsPort: 0,
    tls: { cert: Buffer.from(pair.cert), key: Buffer.from(pair.private) },
    findLogin: async (username) => ({ userId: `usr_${username}`, accountId: `usr_${username}` }),
    endedLogins: async () => [],
    receive: () => true,
    log: pino({ level: 'silent' }),
    ...given,
  });
}
