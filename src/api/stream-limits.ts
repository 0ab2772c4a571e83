import type { Caller } from '#src/auth/authenticate.ts';
import { AppError } from '#src/core/errors.ts';
import type { Database } from '#src/database/connect.ts';
import { findUtilityOfAccount } from '#src/users/store.ts';

/**
 * Maximum number of open streams of one kind in one process. `ofUtility` limits a utility together with all accounts that it
 * enrolled, because the utility creates their keys.
 */
export const STREAM_LIMITS = { ofAccount: 20, ofUtility: 500, ofAll: 2_000, retryAfterSeconds: 30 };

/** The accounts whose limits apply to a stream. */
export interface StreamOwner {
  accountId: string;
  /** The utility that enrolled the account, or the account itself. */
  utilityId: string;
}

export const loadStreamOwner = async (db: Database, { accountId }: Caller): Promise<StreamOwner> => ({
  accountId,
  utilityId: (await findUtilityOfAccount(db, accountId)) ?? accountId,
});

/** Throws 429 if the account or its utility has too many open streams, and 503 if the process has too many. */
export function assertStreamAllowed(
  open: Iterable<{ owner: StreamOwner }>,
  { accountId, utilityId }: StreamOwner,
): void {
  const owners = [...open].map(({ owner }) => owner);
  const mine = owners.filter((one) => one.accountId === accountId).length;
  const ofItsUtility = owners.filter((one) => one.utilityId === utilityId).length;
  const { ofAccount, ofUtility, ofAll, retryAfterSeconds } = STREAM_LIMITS;
  if (mine >= ofAccount || ofItsUtility >= ofUtility) throw new AppError('tooManyStreams', { retryAfterSeconds });
  if (owners.length >= ofAll) throw new AppError('unavailable');
}
