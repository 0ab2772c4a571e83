import type { Caller } from '#src/auth/authenticate.ts';
import { AppError } from '#src/core/errors.ts';

/** Whoever bills: a utility or an administrator. Homeowners read (403). */
export function mayBill({ role }: Caller): void {
  if (role === 'homeowner') throw new AppError('forbidden');
}
