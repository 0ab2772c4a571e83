import type { z } from 'zod';
import { isCostType } from '#src/alerts/period.ts';
import { previewCosts, previewSilence, previewUsage, type WouldHaveFired } from '#src/alerts/preview.ts';
import { operation } from '#src/api/operation.ts';
import { reachUser } from '#src/auth/access.ts';
import { kwhToMilliwattHours } from '#src/core/units.ts';
import type { Database } from '#src/database/connect.ts';
import type { User } from '#src/users/store.ts';
import { checkTariff, checkThreshold } from './check.ts';
import { alertPreview, rule } from './shape.ts';

export const previewAlert = operation({
  summary: 'Says on which periods of the last 90 days an alert would have fired; makes none.',
  method: 'POST',
  changes: 'nothing',
  path: '/v1/alerts/preview',
  readsFromStandby: true,
  scope: 'alerts:read',
  answer: alertPreview,
  status: 200,
  body: rule,
  exactNumbers: ['threshold'],
  async handle({ context, caller, body: { user_id, ...asked } }) {
    checkThreshold(asked.type, asked, { required: true });
    const user = await reachUser(context.db, caller, user_id);
    await checkTariff(context.readDb, user.user_id, asked.threshold);
    return { user_id: user.user_id, data: await wouldHaveFired(context.readDb, user, asked, context.clock()) };
  },
});

function wouldHaveFired(
  db: Database,
  user: User,
  { type, threshold_kwh, threshold_hours, threshold }: Omit<z.output<typeof rule>, 'user_id'>,
  now: Date,
): Promise<WouldHaveFired[]> {
  if (type === 'no_data') return previewSilence(db, user.user_id, threshold_hours ?? 0, now);
  if (isCostType(type)) return previewCosts(db, user, type, threshold ?? '', now);
  return previewUsage(db, user, type, kwhToMilliwattHours(threshold_kwh ?? 0), now);
}
