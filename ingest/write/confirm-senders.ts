import { AppError } from '#src/core/errors.ts';
import { databaseOn, type PoolClient } from '#src/database/connect.ts';
import type { IncomingMessage } from '../message.ts';

/**
 * Checks the senders of a batch's messages in the transaction that will store them, and locks them against a revocation until it ends.
 * Comes before the devices are locked, in the order of erasures. Returns the messages that may be stored, and the errors of the others.
 */
export async function confirmSenders(
  client: PoolClient,
  batch: readonly IncomingMessage[],
): Promise<{ confirmed: readonly IncomingMessage[]; refused: ReadonlyMap<IncomingMessage, AppError> }> {
  const refused = new Map<IncomingMessage, AppError>();
  if (!batch.some(({ sender }) => sender)) return { confirmed: batch, refused };
  const trx = databaseOn(client);
  const outcomes = new Map<string, AppError | null>();
  for (const message of batch) {
    const { sender, decoded } = message;
    if (!sender) continue;
    const of = `${decoded.deviceId} ${sender.id}`;
    const known = outcomes.get(of);
    const outcome = known === undefined ? await sender.confirm(trx).then(() => null, refusalIn) : known;
    outcomes.set(of, outcome);
    if (outcome) refused.set(message, outcome);
  }
  return { confirmed: batch.filter((message) => !refused.has(message)), refused };
}

/** Returns a refusal. Throws other errors: the transaction has failed. */
function refusalIn(error: unknown): AppError {
  if (error instanceof AppError) return error;
  throw error;
}
