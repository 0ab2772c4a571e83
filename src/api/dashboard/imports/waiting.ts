import { waitingImports } from '#src/api/dashboard/shapes.ts';
import { defineOperation } from '#src/api/operation.ts';
import { toWire } from '#src/api/v1/imports/shape.ts';
import { ownAccount } from '#src/auth/access.ts';
import { listWaitingImports } from '#src/onboarding/imports.ts';

/** Maximum number of imports listed. Passwords are available for a day, and a person rarely makes more imports by hand in that time. */
const MOST = 20;

export const listWaiting = defineOperation({
  summary: 'The imports of the account whose passwords wait to be fetched, the youngest first.',
  method: 'GET',
  path: '/v1/waiting-imports',
  forOwnerOnly: true,
  scope: 'devices:write',
  answer: waitingImports,
  async handle({ context: { db }, caller }) {
    return (await listWaitingImports(db, ownAccount(caller), MOST)).map(toWire);
  },
});
