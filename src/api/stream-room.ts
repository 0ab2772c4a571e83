import type { Caller } from '#src/auth/authenticate.ts';
import { AppError } from '#src/core/errors.ts';
import type { Database } from '#src/database/connect.ts';
import { findUtilityOfAccount } from '#src/users/store.ts';

/**
 * Maximum number of open streams of one kind (live readings, or changes for the dashboard) in one process. `ofUtility`: limit for a utility
 * together with all accounts that it enrolled, because the utility creates their keys.
 */
export const MAX_STREAMS = { ofAccount: 20, ofUtility: 500, ofAll: 2_000, retryAfterSeconds: 30 };

/** Accounts against whose limits a stream counts. */
export interface StreamOwner {
  accountId: string;
  /** The utility that enrolled the account, or else the account itself. */
  utilityId: string;
}

export const loadStreamOwner = async (db: Database, { accountId }: Caller): Promise<StreamOwner> => ({
  accountId,
  utilityId: (await findUtilityOfAccount(db, accountId)) ?? accountId,
});

/**
 * Throws 429 if the account or its utility has used up its share of the open streams, and 503 if the process has no room for another
 * stream.
 */
export function assertStreamAllowed(
  open: Iterable<{ owner: StreamOwner }>,
  { accountId, utilityId }: StreamOwner,
): void {
  const owners = [...open].map(({ owner }) => owner);
  const mine = owners.filter((one) => one.accountId === accountId).length;
  const ofItsUtility = owners.filter((one) => one.utilityId === utilityId).length;
  const { ofAccount, ofUtility, ofAll, retryAfterSeconds } = MAX_STREAMS;
  if (mine >= ofAccount || ofItsUtility >= ofUtility) throw new AppError('tooManyStreams', { retryAfterSeconds });
  if (owners.length >= ofAll) throw new AppError('unavailable');
}
