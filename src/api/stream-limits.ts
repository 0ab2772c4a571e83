import type { Caller } from '#src/auth/authenticate.ts';
import { AppError } from '#src/core/errors.ts';
import type { Database } from '#src/database/connect.ts';
import { findUtilityOfAccount } from '#src/users/store.ts';

/**
 * Maximum number of open streams of one kind (live readings, or changes for the dashboard) in one process. `ofUtility` limits a utility
 * together with all accounts that the utility enrolled, because the utility creates keys for these accounts.
 */
export const STREAM_LIMITS = { ofAccount: 20, ofUtility: 500, ofAll: 2_000, retryAfterSeconds: 30 };

/** The accounts whose limits apply to a stream. */
export interface StreamOwner {
  accountId: string;
  /** The utility that enrolled the account; the account itself if no utility enrolled it. */
  utilityId: string;
}

export const loadStreamOwner = async (db: Database, { accountId }: Caller): Promise<StreamOwner> => ({
  accountId,
  utilityId: (await findUtilityOfAccount(db, accountId)) ?? accountId,
});

/** Throws 429 if the account or its utility has reached its limit of open streams, and 503 if the process has reached its limit. */
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
