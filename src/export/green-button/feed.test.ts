import { expect, test } from 'vitest';
import { createDayRange } from '#src/energy/ranges.ts';
import { type GreenButtonFeed, streamGreenButtonXml } from './feed.ts';
import type { GreenButtonInterval } from './intervals.ts';

const HOUR_MS = 3_600_000;
const FROM = Date.UTC(2026, 9, 24, 22);
const hour = (index: number, more: Partial<GreenButtonInterval> = {}): GreenButtonInterval => ({
  startMs: FROM + index * HOUR_MS,
  durationMs: HOUR_MS,
  date: index < 25 ? '2026-10-25' : '2026-10-26',
  imported: 1_000_500_001,
  estimated: 0,
  exported: 0,
  isImportEdited: false,
  isExportEdited: false,
  importCost: '30015',
  exportEarned: '0',
  ...more,
});
const FEED: GreenButtonFeed = {
  about: 'usr_01k8xq4v9d7w2m5nehb6t0r3zc',
  range: createDayRange('2026-10-25', '2026-10-26', 'Europe/Berlin'),
  now: new Date('2026-11-01T00:00:00Z'),
  data: {
    unit: 'hour',
    intervals: [
      hour(0),
      hour(1, { estimated: 1_000_500_001 }),
      hour(2, { estimated: 7, exported: 2_000, exportEarned: '12' }),
      hour(3, { isImportEdited: true, estimated: 7, exported: 3_000 }),
      hour(4, { isExportEdited: true, exported: 4_000 }),
      hour(24, { imported: null, exported: 5 }),
      hour(30, { imported: 0, importCost: null, exportEarned: null }),
    ],
    bill: { currency: 'EUR', total: '131000', additional: '41000' },
    hasExport: true,
  },
};

async function textOf(feed: GreenButtonFeed): Promise<string> {
  const pieces: string[] = [];
  for await (const piece of streamGreenButtonXml(feed)) pieces.push(piece);
  return pieces.join('');
}

test('the feed equals the one that was validated against the published schema', async () => {
  // After a change of feed.example.xml, run test/contract/green-button-schema.test.ts with a copy of the schema.
  await expect(await textOf(FEED)).toMatchFileSnapshot('feed.example.xml');
});

test('the feed contains the sum so far for a range that is not over', async () => {
  const text = await textOf({ ...FEED, now: new Date('2026-10-26T12:00:00Z') });
  expect(text).toContain('<espi:billToDate>131000</espi:billToDate>');
  expect(text).not.toContain('LastPeriod');
});

test('the feed has no costs in a currency whose ISO 4217 number is unknown', async () => {
  const text = await textOf({
    ...FEED,
    data: { ...FEED.data, bill: { currency: 'XPF', total: '1', additional: '0' } },
  });
  expect(text).not.toMatch(/:cost>|currency>|bill(ToDate|LastPeriod)>/);
});

test('the feed states the length of its intervals in the reading type', async () => {
  const text = await textOf({ ...FEED, data: { ...FEED.data, unit: 'quarter_hour' } });
  expect(new Set(text.match(/<espi:intervalLength>\d+/g))).toEqual(new Set(['<espi:intervalLength>900']));
});

test('the feed contains only a usage point if there is no energy', async () => {
  const text = await textOf({ ...FEED, data: { unit: 'hour', intervals: [], bill: null, hasExport: false } });
  expect(text).toContain('UsagePoint>');
  expect(text).not.toContain('MeterReading>');
});
