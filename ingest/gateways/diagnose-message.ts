import { setImmediate } from 'node:timers/promises';
import type { Pool } from '#src/database/connect.ts';
import { diagnoseMessage, type MessageDiagnosis } from '../decoders/diagnose.ts';
import { parseDecoderSettings } from '../decoders/family.ts';
import { createGatewayDecoders } from '../decoders/gateway-decoders.ts';

/** A message of a gateway. It is not stored, but decoded to show how ingest would read it. */
export interface MessageToDiagnose {
  gatewayId: string;
  /** Topic of the message, with or without the prefix of the gateway. */
  topic: string;
  payload: Buffer;
  receivedAtMs: number;
  /** Whether the broker had retained the message. Its age is then unknown. */
  replayed: boolean;
  /** The owner's `decoder_config`: the stored one, or one that is to be tried. */
  config: unknown;
}

/** Number of announcements that are replayed, in a few ms, before the event loop handles other tasks. */
const RECALLED_AT_ONCE = 50;

/**
 * Creates a function that returns how ingest would decode a message of a gateway. For this purpose, all stored announcements of the gateway
 * are replayed. Stores nothing.
 */
export function createMessageDiagnoser(pool: Pool): (asked: MessageToDiagnose) => Promise<MessageDiagnosis> {
  let last: Promise<unknown> = Promise.resolve();
  const judgeOne = async ({ gatewayId, config, topic: given, ...rest }: MessageToDiagnose) => {
    const message = { ...rest, topic: given.startsWith('gw/') ? given : `gw/${gatewayId}/${given}` };
    // Raw SQL: the table belongs to ingest, and no query in src uses it.
    const { rows } = await pool.query(
      'SELECT topic, payload FROM gateway_announcements WHERE gateway_id = $1 ORDER BY place',
      [gatewayId],
    );
    const decoders = createGatewayDecoders();
    for (const [index, { topic, payload }] of rows.entries()) {
      decoders.recall({ topic, payload, receivedAtMs: rest.receivedAtMs });
      // Lets the event loop handle other tasks, because replaying ten thousand announcements takes seconds.
      if (index % RECALLED_AT_ONCE === RECALLED_AT_ONCE - 1) await setImmediate();
    }
    return diagnoseMessage(message, parseDecoderSettings(config), decoders);
  };
  return (asked) => {
    // Requests run one after the other, because the announcements of a gateway may have 16 MiB.
    const next = last.then(() => judgeOne(asked));
    last = next.catch(() => {});
    return next;
  };
}
