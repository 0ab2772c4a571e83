import type { Caller } from '#src/auth/authenticate.ts';
import { AppError } from '#src/core/errors.ts';

/** 403 for everybody but administrators, and for keys that are limited to a group, before anything is looked up. */
export function adminOnly({ role, groupId }: Caller): void {
  if (role !== 'admin' || groupId) throw new AppError('forbidden');
}
