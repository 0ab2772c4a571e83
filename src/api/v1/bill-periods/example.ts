import { bill_period_id, device_id, type Examples, user_id } from '../example-ids.ts';
import { BILL_COLUMNS, listBillRows } from './bill-export.ts';

const period = {
  bill_period_id,
  user_id,
  device_id,
  start: '2026-05-01',
  end: '2026-05-31',
  timezone: 'Europe/Berlin',
};
const energies = {
  import_kwh: '312.481250',
  export_kwh: '0.000000',
  estimated_kwh: '3.106000',
  intervals: 2976,
  intervals_known: 2976,
  intervals_estimated: 45,
  registers: [
    {
      device_id,
      channel: 'import',
      native_name: 'import energy_total_kwh',
      direction: 'import' as const,
      at_start: { kwh: '14622.388000', at: '2026-04-30T22:00:00.000Z', is: 'measured' as const },
      at_end: { kwh: '14934.869250', at: '2026-05-31T22:00:00.000Z', is: 'interpolated' as const },
      energy_kwh: '312.481250',
    },
  ],
  import_beside_registers_kwh: '0.000000',
  export_beside_registers_kwh: '0.000000',
  edits: [],
};
const sha256 = '1f0c8d3f4f7d0c2b6a9e5d8c7b6a594837261504f3e2d1c0bfaeadacabaa9988';
const statement = {
  ...period,
  version: 1,
  cause: 'first' as const,
  starts_at: '2026-04-30T22:00:00.000Z',
  ends_at: '2026-05-31T22:00:00.000Z',
  recorded_at: '2026-06-01T09:30:00.000Z',
  ...energies,
  adjustments: [],
  billed_import_kwh: energies.import_kwh,
  billed_export_kwh: energies.export_kwh,
  previous_sha256: null,
  sha256,
};
const version = {
  version: 1,
  cause: 'first',
  recorded_at: statement.recorded_at,
  import_kwh: energies.import_kwh,
  export_kwh: energies.export_kwh,
  estimated_kwh: energies.estimated_kwh,
  import_change_kwh: energies.import_kwh,
  export_change_kwh: energies.export_kwh,
  sha256,
};
const times = { status: 'open', created_at: statement.recorded_at, closed_at: null };
const details = {
  ...period,
  ...times,
  first_told: statement,
  last_told: statement,
  known_now: energies,
  difference: { import_kwh: '0.000000', export_kwh: '0.000000', estimated_kwh: '0.000000' },
  versions: [version],
  adjustments: [],
  corrections: [],
};
const changed = { import_change_kwh: '0.000000', export_change_kwh: '0.000000' };
const later = '2026-06-03T08:00:00.000Z';
const again = { ...statement, version: 2, recorded_at: later, previous_sha256: sha256 };
const after = (cause: 'again' | 'closing') => ({
  ...details,
  last_told: { ...again, cause },
  versions: [version, { ...version, ...changed, version: 2, cause, recorded_at: later }],
});
const row = {
  ...period,
  ...times,
  version: 1,
  recorded_at: statement.recorded_at,
  import_kwh: energies.import_kwh,
  export_kwh: energies.export_kwh,
  estimated_kwh: energies.estimated_kwh,
  billed_import_kwh: energies.import_kwh,
  billed_export_kwh: energies.export_kwh,
  sha256,
};

export const BILL_PERIOD_EXAMPLES = {
  createBillPeriod: { body: { device_id, start: period.start, end: period.end }, answer: details },
  listBillPeriods: {
    answer: [row],
    csv: `${Object.keys(row).join(',')}\n${Object.values(row)
      .map((value) => value ?? '')
      .join(',')}\n`,
  },
  getBillPeriod: {
    answer: details,
    csv: `${BILL_COLUMNS.join(',')}\n${listBillRows(statement)
      .map((row) => BILL_COLUMNS.map((name) => row[name] ?? '').join(','))
      .join('\n')}\n`,
  },
  recordBillVersion: { answer: after('again') },
  closeBillPeriod: { answer: { ...after('closing'), status: 'closed', closed_at: later } },
  deleteBillPeriod: { answer: { message: `Bill period ${bill_period_id} was deleted` } },
} satisfies Examples;
