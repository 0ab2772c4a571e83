import type { Caller } from '#src/auth/authenticate.ts';
import { AppError } from '#src/core/errors.ts';

/** 403 for everybody but administrators, before anything is looked up. */
export function adminOnly({ role }: Caller): void {
  if (role !== 'admin') throw new AppError('forbidden');
}
