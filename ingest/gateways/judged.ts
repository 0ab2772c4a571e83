import { setImmediate } from 'node:timers/promises';
import type { Pool } from '#src/database/connect.ts';
import { readSettings } from '../decoders/family.ts';
import { type Judgement, judge } from '../decoders/judge.ts';
import { createDecoders } from '../decoders/remembering.ts';

/** A message of a gateway that somebody asks about. */
export interface AskedMessage {
  gatewayId: string;
  /** With or without the gateway's prefix. */
  topic: string;
  payload: Buffer;
  receivedAtMs: number;
  /** The broker had kept it: of unknown age. */
  replayed: boolean;
  /** The owner's `decoder_config`, stored or as it would be. */
  config: unknown;
}

/** Announcements that are learnt again before others have their turn: some ms. */
const RECALLED_AT_ONCE = 50;

/** Says what ingest would make of messages of gateways, after all that was announced there. It reads only. */
export function createJudge(pool: Pool): (asked: AskedMessage) => Promise<Judgement> {
  let last: Promise<unknown> = Promise.resolve();
  const judgeOne = async ({ gatewayId, config, topic: given, ...rest }: AskedMessage) => {
    const message = { ...rest, topic: given.startsWith('gw/') ? given : `gw/${gatewayId}/${given}` };
    // Raw SQL: a statement of ingest's own relation, which nothing in src knows.
    const { rows } = await pool.query(
      'SELECT topic, payload FROM gateway_announcements WHERE gateway_id = $1 ORDER BY place',
      [gatewayId],
    );
    const decoders = createDecoders();
    for (const [index, { topic, payload }] of rows.entries()) {
      decoders.recall({ topic, payload, receivedAtMs: rest.receivedAtMs });
      // Ten thousand take seconds: others are answered meanwhile.
      if (index % RECALLED_AT_ONCE === RECALLED_AT_ONCE - 1) await setImmediate();
    }
    return judge(message, readSettings(config), decoders);
  };
  return (asked) => {
    // One at a time: a gateway may have announced 16 MiB.
    const next = last.then(() => judgeOne(asked));
    last = next.catch(() => {});
    return next;
  };
}
