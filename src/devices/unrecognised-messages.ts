import type { Selectable } from 'kysely';
import { matchTopicFilter } from '#src/core/topic-filter.ts';
import type { Database } from '#src/database/connect.ts';
import { type AccessibleAccounts, isAccountAccessibleSql } from '#src/database/reach.ts';
import type { Tables } from '#src/database/tables.ts';
import { readDecoderConfig } from './decoder-config.ts';

/** Maximum age in ms of a sample message that is shown. */
const EXAMPLE_MS = 86_400_000;

/** Messages of a gateway that have the same topic pattern and that no device family recognises. */
export interface UnrecognisedMessages
  extends Pick<Selectable<Tables['unread_messages']>, 'shape' | 'messages' | 'first_seen_at' | 'last_seen_at'> {
  /** A sample message of the last 24 hours. `bytes`: size of its whole payload, of which at most 4 KiB are stored. */
  example: { topic: string; payload: Buffer; bytes: number; receivedAt: Date } | null;
}

/**
 * Lists at most `limit` topic patterns of a gateway's unrecognised messages, after `cursor`, in order. Null if the caller may access no
 * such gateway.
 */
export async function listUnrecognisedMessages(
  db: Database,
  reach: AccessibleAccounts,
  gatewayId: string,
  { limit, cursor, now }: { limit: number; cursor?: string; now: Date },
): Promise<UnrecognisedMessages[] | null> {
  const gateway = await db
    .selectFrom('gateways')
    .select('gateway_id')
    .where('gateway_id', '=', gatewayId)
    .where(isAccountAccessibleSql(reach, 'gateways.user_id'))
    .executeTakeFirst();
  if (!gateway) return null;
  const rows = await db
    .selectFrom('unread_messages')
    .selectAll()
    .where('gateway_id', '=', gatewayId)
    .where('shape', '>', cursor ?? '')
    .orderBy('shape')
    .limit(limit)
    .execute();
  const since = new Date(now.getTime() - EXAMPLE_MS);
  return rows.map(({ shape, messages, first_seen_at, last_seen_at, ...row }) => {
    const { example_topic: topic, example_payload: payload, example_bytes: bytes, example_received_at: at } = row;
    const isShown = topic !== null && payload !== null && bytes !== null && at !== null && at >= since;
    const example = isShown ? { topic, payload, bytes, receivedAt: at } : null;
    return { shape, messages, first_seen_at, last_seen_at, example };
  });
}

/** Deletes the unrecognised messages on topics of the new mapping. If the mapping cannot read later messages, they are recorded again. */
export async function deleteMappedMessages(trx: Database, gatewayId: string, config: unknown): Promise<void> {
  const { mapping = [] } = readDecoderConfig(config);
  if (mapping.length === 0) return;
  const noted = await trx
    .selectFrom('unread_messages')
    .select(['shape', 'example_topic'])
    .where('gateway_id', '=', gatewayId)
    .execute();
  const mapped = noted.filter(({ shape, example_topic: topic }) =>
    mapping.some((one) => matchTopicFilter(one.topic, topic ?? shape) !== null),
  );
  if (mapped.length === 0) return;
  await trx
    .deleteFrom('unread_messages')
    .where('gateway_id', '=', gatewayId)
    .where(
      'shape',
      'in',
      mapped.map(({ shape }) => shape),
    )
    .execute();
}
