import { setImmediate } from 'node:timers/promises';
import type { Pool } from '#src/database/connect.ts';
import { diagnoseMessage, type MessageDiagnosis } from '../decoders/diagnose.ts';
import { parseDecoderSettings } from '../decoders/family.ts';
import { createGatewayDecoders } from '../decoders/gateway-decoders.ts';

/** A message to decode for a diagnosis. It is not stored. */
interface MessageToDiagnose {
  gatewayId: string;
  /** Topic of the message, with or without the prefix of the gateway. */
  topic: string;
  payload: Buffer;
  receivedAtMs: number;
  /** Whether the message was a retained message of the broker, so that its age is unknown. */
  replayed: boolean;
  /** The decoder settings with which the message is decoded: the stored ones, or settings that the owner tries out. */
  config: unknown;
}

/** Number of announcements that are replayed before the event loop handles other tasks. */
const RECALLED_AT_ONCE = 50;

/** Creates a function that shows how the service would decode a message of a gateway. Stores nothing. */
export function createMessageDiagnoser(pool: Pool): (asked: MessageToDiagnose) => Promise<MessageDiagnosis> {
  let last: Promise<unknown> = Promise.resolve();
  const judgeOne = async ({ gatewayId, config, topic: given, ...rest }: MessageToDiagnose) => {
    const message = { ...rest, topic: given.startsWith('gw/') ? given : `gw/${gatewayId}/${given}` };
    // Raw SQL: message intake uses no typed queries.
    const { rows } = await pool.query(
      'SELECT topic, payload FROM gateway_announcements WHERE gateway_id = $1 ORDER BY place',
      [gatewayId],
    );
    const decoders = createGatewayDecoders();
    for (const [index, { topic, payload }] of rows.entries()) {
      decoders.recall({ topic, payload, receivedAtMs: rest.receivedAtMs });
      // Replaying ten thousand announcements takes seconds, so other tasks run in between.
      if (index % RECALLED_AT_ONCE === RECALLED_AT_ONCE - 1) await setImmediate();
    }
    return diagnoseMessage(message, parseDecoderSettings(config), decoders);
  };
  return (asked) => {
    // Requests run one after the other, because the announcements of one gateway may take 16 MiB of memory.
    const next = last.then(() => judgeOne(asked));
    last = next.catch(() => {});
    return next;
  };
}
