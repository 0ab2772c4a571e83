import { pino } from 'pino';
import { generate } from 'selfsigned';
import { toIncoming } from '#ingest/incoming.ts';
import { type EmbeddedBroker, startEmbeddedBroker } from '#ingest/source/embedded-broker.ts';
import { createWriter, type IncomingMessage } from '#ingest/write/writer.ts';
import type { Pool } from '#src/database/connect.ts';

/** The embedded broker with decoder and writer behind it, as in the ingest role, for replays of old data (240 months). */
export async function startImportBroker(
  pool: Pool,
  checkLogin: (deviceId: string, secret: string) => Promise<boolean>,
): Promise<EmbeddedBroker> {
  const writer = createWriter(pool, { retentionMonths: 240 });
  const pair = await generate([{ name: 'commonName', value: 'localhost' }]);
  const waiting: { message: IncomingMessage; done: () => void }[] = [];
  let writing = false;
  const writeAll = async () => {
    writing = true;
    while (waiting.length > 0) {
      const batch = waiting.splice(0, 20);
      await writer.write(batch.map(({ message }) => message));
      for (const { done } of batch) done();
    }
    writing = false;
  };
  return startEmbeddedBroker({
    host: '127.0.0.1',
    port: 0,
    tlsHost: '127.0.0.1',
    tlsPort: 0,
    tls: { cert: Buffer.from(pair.cert), key: Buffer.from(pair.private) },
    checkLogin,
    endedLogins: async () => [],
    log: pino({ level: 'silent' }),
    receive(message, done) {
      const incoming = toIncoming(message);
      if (!incoming) throw new Error(`no decoder for ${message.topic}`);
      waiting.push({ message: incoming, done });
      if (!writing) void writeAll();
      return true;
    },
  });
}
