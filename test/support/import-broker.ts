import { createIncomingMessage } from '#ingest/incoming.ts';
import type { EmbeddedBroker } from '#ingest/source/embedded-broker.ts';
import type { MessageReceipt } from '#ingest/source/source.ts';
import { createReadingBatchWriter, type IncomingMessage } from '#ingest/write/writer.ts';
import type { Pool } from '#src/database/connect.ts';
import { startBroker } from './broker.ts';

/**
 * Starts the embedded broker with decoder and writer, as in the ingest role. Readings may be up to 240 months old, for tests that replay
 * old data.
 */
export async function startImportBroker(
  pool: Pool,
  checkLogin: (deviceId: string, secret: string) => Promise<boolean>,
): Promise<EmbeddedBroker> {
  const writer = createReadingBatchWriter(pool, { retentionMonths: 240 });
  const waiting: { message: IncomingMessage; receipt: MessageReceipt }[] = [];
  let writing = false;
  const writeAll = async () => {
    writing = true;
    while (waiting.length > 0) {
      const batch = waiting.splice(0, 20);
      await writer.write(batch.map(({ message }) => message));
      for (const { receipt } of batch) receipt.done();
    }
    writing = false;
  };
  return startBroker({
    findLogin: async (deviceId, secret) =>
      (await checkLogin(deviceId, secret)) ? { userId: deviceId, accountId: deviceId } : null,
    receive(message, receipt) {
      const incoming = createIncomingMessage(message);
      if (!incoming) throw new Error(`no decoder for ${message.topic}`);
      waiting.push({ message: incoming, receipt });
      if (!writing) void writeAll();
      return true;
    },
  });
}
