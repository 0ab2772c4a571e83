import { setImmediate } from 'node:timers/promises';
import type { Pool } from '#src/database/connect.ts';
import { parseDecoderSettings } from '../decoders/family.ts';
import { createDecoders } from '../decoders/gateway-decoders.ts';
import { diagnoseMessage, type MessageDiagnosis } from '../decoders/judge.ts';

/** A message of a gateway that is to be decoded only to show how ingest would read it. */
export interface MessageToDiagnose {
  gatewayId: string;
  /** The message's topic, with or without the gateway's prefix. */
  topic: string;
  payload: Buffer;
  receivedAtMs: number;
  /** Whether the broker retained the message; its age is then unknown. */
  replayed: boolean;
  /** The owner's `decoder_config`, either stored or proposed. */
  config: unknown;
}

/** Number of announcements that are replayed before the event loop handles other tasks. Replaying them takes a few ms. */
const RECALLED_AT_ONCE = 50;

/**
 * Creates a function that returns how ingest would decode a message of a gateway, once all stored announcements of the gateway have been
 * replayed. Read-only.
 */
export function createMessageDiagnoser(pool: Pool): (asked: MessageToDiagnose) => Promise<MessageDiagnosis> {
  let last: Promise<unknown> = Promise.resolve();
  const judgeOne = async ({ gatewayId, config, topic: given, ...rest }: MessageToDiagnose) => {
    const message = { ...rest, topic: given.startsWith('gw/') ? given : `gw/${gatewayId}/${given}` };
    // Raw SQL, because the relation belongs to ingest and nothing in src uses it.
    const { rows } = await pool.query(
      'SELECT topic, payload FROM gateway_announcements WHERE gateway_id = $1 ORDER BY place',
      [gatewayId],
    );
    const decoders = createDecoders();
    for (const [index, { topic, payload }] of rows.entries()) {
      decoders.recall({ topic, payload, receivedAtMs: rest.receivedAtMs });
      // Yields to the event loop, because ten thousand announcements take seconds.
      if (index % RECALLED_AT_ONCE === RECALLED_AT_ONCE - 1) await setImmediate();
    }
    return diagnoseMessage(message, parseDecoderSettings(config), decoders);
  };
  return (asked) => {
    // Only one request runs at a time, because a gateway's announcements may have 16 MiB.
    const next = last.then(() => judgeOne(asked));
    last = next.catch(() => {});
    return next;
  };
}
