import { operation } from '#src/api/operation.ts';
import { reachUser } from '#src/auth/access.ts';
import { createTariff as create } from '#src/tariffs/store.ts';
import { newTariff, tariff, toWire } from './shape.ts';

export const createTariff = operation({
  summary: 'Says what a user pays for energy from a day on, and gets for what is fed in.',
  method: 'POST',
  path: '/v1/tariffs',
  audit: { action: 'tariff.created', target: 'tariff_id' },
  scope: 'tariffs:write',
  answer: tariff,
  body: newTariff,
  exactNumbers: true,
  async handle({ context, caller, body: { user_id, name, valid_from, currency, ...terms } }) {
    const owner = await reachUser(context.db, caller, user_id);
    return toWire(await create(context.db, { userId: owner.user_id, name, valid_from, currency, terms }));
  },
});
