import type { Call } from '#src/api/operation.ts';
import { holdable, reachOf } from '#src/auth/access.ts';
import { orNotFound } from '#src/core/errors.ts';
import { findSent, type SentDelivery } from '#src/delivery/sent.ts';

type Which = { webhook_id: string; delivery_id: string };

/** The delivery that a path names, with what is sent. Throws `notFound` where the caller reaches none. */
export async function sentTo({
  context,
  caller,
  params,
}: Pick<Call<Which, unknown, unknown>, 'context' | 'caller' | 'params'>): Promise<SentDelivery> {
  const which = { webhookId: holdable(params.webhook_id), deliveryId: holdable(params.delivery_id) };
  return orNotFound(await findSent(context.db, reachOf(caller), which, context.environment));
}
