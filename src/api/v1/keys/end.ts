import { unprocessable } from '#src/core/errors.ts';

/** When a key shall end, null for never; undefined where nothing is said of it. 422 where that has passed. */
export function endOf(expiresAt: string | null | undefined, now: Date): Date | null | undefined {
  if (expiresAt === undefined || expiresAt === null) return expiresAt;
  const end = new Date(expiresAt);
  if (end <= now) throw unprocessable({ field: 'expires_at', message: 'must lie in the future' });
  return end;
}
