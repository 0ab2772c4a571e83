import { DateTime } from 'luxon';
import { tariffPreview } from '#src/api/dashboard/shapes.ts';
import { defineOperation } from '#src/api/operation.ts';
import { newTariff } from '#src/api/v1/tariffs/shape.ts';
import { reachOf, reachUser, toIdOrNotFound } from '#src/auth/access.ts';
import { unprocessable } from '#src/core/errors.ts';
import { costByTariff } from '#src/cost/costs.ts';
import { dayRange } from '#src/energy/ranges.ts';
import { findUsableSeries } from '#src/tariffs/price-series.ts';
import { parseTariff } from '#src/tariffs/terms.ts';

export const previewTariff = defineOperation({
  summary: 'Says what the last whole month would have cost by a tariff; makes none.',
  method: 'POST',
  changes: 'nothing',
  path: '/v1/tariff-preview',
  readsFromStandby: true,
  scope: 'tariffs:read',
  answer: tariffPreview,
  status: 200,
  body: newTariff,
  exactNumbers: true,
  async handle({ context, caller, body: { user_id, name, valid_from, currency, ...terms } }) {
    const { db, readDb, clock } = context;
    const user = await reachUser(db, caller, user_id);
    for (const member of ['import', 'export'] as const) {
      const rates = terms[member];
      if (!rates || !('series_id' in rates)) continue;
      const by = { reach: reachOf(caller), userId: user.user_id };
      if (await findUsableSeries(db, 'price', by, toIdOrNotFound(rates.series_id))) continue;
      throw unprocessable({ field: `${member}.series_id`, message: 'must be a price series that the user can use' });
    }
    const now = clock();
    const month = DateTime.fromJSDate(now, { zone: user.timezone }).startOf('month').minus({ months: 1 });
    const [start, end] = [month.toFormat('yyyy-MM-dd'), month.endOf('month').toFormat('yyyy-MM-dd')];
    const tariff = parseTariff({ tariff_id: '', user_id: user.user_id, name, valid_from, currency, terms });
    const asked = { buyer: { userId: user.user_id }, range: dayRange(start, end, user.timezone), now };
    return { start, end, cost: await costByTariff(readDb, tariff, asked) };
  },
});
