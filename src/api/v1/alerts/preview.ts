import { previewSilence, previewUsage } from '#src/alerts/preview.ts';
import { operation } from '#src/api/operation.ts';
import { reachUser } from '#src/auth/access.ts';
import { kwhToMilliwattHours } from '#src/core/units.ts';
import { checkThreshold } from './check.ts';
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
  async handle({ context, caller, body: { user_id, type, threshold_kwh, threshold_hours } }) {
    checkThreshold(type, { threshold_kwh, threshold_hours }, { required: true });
    const user = await reachUser(context.db, caller, user_id);
    const now = context.clock();
    const data =
      type === 'no_data'
        ? await previewSilence(context.readDb, user.user_id, threshold_hours ?? 0, now)
        : await previewUsage(context.readDb, user, type, kwhToMilliwattHours(threshold_kwh ?? 0), now);
    return { user_id: user.user_id, data };
  },
});
