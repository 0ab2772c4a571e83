import type { z } from 'zod';
import type { Call } from '#src/api/operation.ts';
import { checkIdentities, reachOf } from '#src/auth/access.ts';
import { AppError } from '#src/core/errors.ts';
import type { Importer } from '#src/onboarding/import.ts';
import type { importedDevice, importQuery } from './shape.ts';

/** Who imports, and what for whom he may. Throws `forbidden` where these devices are not his to import. */
export function importerOf(
  {
    caller,
    address,
    query,
  }: Pick<Call<unknown, z.output<typeof importQuery>, unknown>, 'caller' | 'address' | 'query'>,
  devices: readonly z.output<typeof importedDevice>[],
): Importer {
  const { userId, role } = caller;
  const isForOthers = devices.some(({ user_id }) => user_id !== undefined && user_id !== userId);
  if (role === 'homeowner' && (isForOthers || query.create_users)) throw new AppError('forbidden');
  if (query.create_users && !caller.scopes.has('users:write')) throw new AppError('forbidden');
  checkIdentities(caller, devices);
  return {
    reach: reachOf(caller),
    ownId: userId,
    newOwners: query.create_users ? { enrolledBy: role === 'utility' ? userId : null } : null,
    by: { actor: caller, address },
  };
}
