import type { Database } from '#src/database/connect.ts';
import { createTariff, hasTariff } from '#src/tariffs/store.ts';

/** What the demo's first home pays, for all of its past: by day and by night, and what it gets for what it feeds in. */
const TARIFF = {
  name: 'Day and night',
  valid_from: '2020-01-01',
  currency: 'EUR',
  terms: {
    standing_per_day: '0.41',
    import: { periods: [{ per_kwh: '0.3420', from: '06:00', to: '22:00' }, { per_kwh: '0.2680' }] },
    export: { per_kwh: '0.0803' },
  },
};

/** Gives an account a tariff where it has none, so that what its energy costs can be seen at once. One that a visitor made is left alone. */
export async function ensureDemoTariff(db: Database, userId: string): Promise<void> {
  if (!(await hasTariff(db, userId))) await createTariff(db, { userId, ...TARIFF });
}
