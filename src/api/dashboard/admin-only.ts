import type { Caller } from '#src/auth/authenticate.ts';
import { AppError } from '#src/core/errors.ts';

/** Throws 403 for every role but administrator, and for keys that are limited to a group, before any look-up. */
export function adminOnly({ role, groupId }: Caller): void {
  if (role !== 'admin' || groupId) throw new AppError('forbidden');
}
