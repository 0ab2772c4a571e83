import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createIncomingMessage } from '#ingest/incoming.ts';
import { createReadingBatchWriter } from '#ingest/write/writer.ts';
import { createImportCounts, type ImportedReadingElement } from '#simulators/importers/element.ts';
import { createGreenButtonImport } from '#simulators/importers/green-button.ts';
import { getReadingsTopic } from '#src/devices/topics.ts';
import { createDayRange } from '#src/energy/ranges.ts';
import { loadGreenButtonData } from '#src/export/green-button/intervals.ts';
import { startTestApi, type TestApi } from '#test/support/api.ts';

/** A home is exported as Green Button and imported into another account with the same energy of each hour. */
const MINUTE_MS = 60_000;
const RANGE = createDayRange('2026-03-25', '2026-04-01', 'Europe/Berlin');
const DAYS = 'start=2026-03-25&end=2026-04-01&tz=Europe/Berlin';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

async function homeWithMeter(readings: readonly object[]) {
  const home = await api.user('homeowner');
  const { json } = await api.send('/v1/devices', {
    method: 'POST',
    key: home.key,
    body: { type: 'smart_meter', location: 'x' },
  });
  const topic = getReadingsTopic(json.device_id);
  const writer = createReadingBatchWriter(api.database.pool, { now: () => api.now.getTime() });
  for (let at = 0; at < readings.length; at += 1_000) {
    const payload = Buffer.from(JSON.stringify(readings.slice(at, at + 1_000)));
    const message = createIncomingMessage({ topic, payload, receivedAtMs: api.now.getTime(), replayed: false });
    if (!message) throw new Error('no reading');
    expect((await writer.write([message])).rejected).toBe(0);
  }
  await api.database.settle(api.now);
  return { ...home, deviceId: json.device_id as string };
}

const hoursOf = async (userId: string) =>
  (await loadGreenButtonData(api.db, { buyer: { userId }, range: RANGE, now: api.now, unit: 'hour' })).intervals.map(
    ({ startMs, durationMs, date, imported, exported }) => ({ startMs, durationMs, date, imported, exported }),
  );

test('a home that is exported as Green Button is the same after its import', async () => {
  // Register readings every 23 minutes, solar power at noon, a silent night, and the change to summer time.
  const readings: object[] = [];
  let [imported, exported] = [4_000, 1_000];
  for (let at = 0; at < 9 * 24 * 60; at += 23) {
    const time = new Date(Date.UTC(2026, 2, 24) + at * MINUTE_MS);
    imported += ((at * 7_919) % 1_000_003) / 1e7;
    if (time.getUTCHours() % 24 > 9 && time.getUTCHours() < 15) exported += ((at * 104_729) % 1_000_003) / 1e7;
    if (time.getUTCDate() === 30 && time.getUTCHours() < 6) continue;
    const ts = time.toISOString();
    readings.push({ ts, channel: 'import', energy_total_kwh: Number(imported.toFixed(6)) });
    readings.push({ ts, channel: 'export', energy_total_kwh: Number(exported.toFixed(6)) });
  }
  const from = await homeWithMeter(readings);
  const tariff = {
    name: 'x',
    valid_from: '2026-03-27',
    currency: 'EUR',
    standing_per_day: '0.41',
    import: { per_kwh: '0.3' },
    export: { per_kwh: '0.08' },
  };
  expect((await api.send('/v1/tariffs', { method: 'POST', key: from.key, body: tariff })).status).toBe(201);
  const headers = { accept: 'application/atom+xml' };
  const home = await api.send(`/v1/energy-insights?${DAYS}&group_by=hour`, { key: from.key, headers });
  const device = await api.send(`/v1/devices/${from.deviceId}/usage?${DAYS}&group_by=hour`, { key: from.key, headers });
  expect([home.status, device.status]).toEqual([200, 200]);

  const folder = await mkdtemp(join(tmpdir(), 'green-button-'));
  const elements: ImportedReadingElement[] = [];
  for (const { text } of [home, device]) {
    elements.length = 0;
    await writeFile(join(folder, 'home.xml'), text);
    const counts = createImportCounts();
    for await (const one of createGreenButtonImport()(join(folder, 'home.xml'), counts, () => {})) elements.push(one);
    expect(counts).toMatchObject({ skipped: 0, unreadable: 0, empty: 0 });
    const to = await homeWithMeter(elements);
    const hours = await hoursOf(to.userId);
    // Seven days have 24 hours, and the day of the change to summer time has 23.
    expect(hours).toHaveLength(8 * 24 - 1);
    expect(hours).toEqual(await hoursOf(from.userId));
  }
  await rm(folder, { recursive: true });

  // The quality and the cost in the Green Button file equal those in other API responses.
  const json = await api.send(`/v1/energy-insights?${DAYS}&group_by=hour&include=cost,estimated,grid_import`, {
    key: from.key,
  });
  const estimated = json.json.data.filter((row: { estimated_kwh: number }) => row.estimated_kwh > 0).length;
  expect(home.text.match(/<espi:quality>(9|13)</g)).toHaveLength(estimated);
  expect(estimated).toBeGreaterThan(4);
  const total = await api.send(`/v1/energy-insights?${DAYS}&group_by=month&include=cost`, {
    key: from.key,
  });
  const cents = total.json.data.reduce(
    (sum: number, { cost }: { cost: { total: string } }) => sum + Number(cost.total),
    0,
  );
  const bill = Number(/<espi:billLastPeriod>(-?\d+)</.exec(home.text)?.[1]) / 100_000;
  expect(bill).toBeCloseTo(cents, 1);
  const costs = [...home.text.matchAll(/<espi:cost>(\d+)<\/espi:cost>/g)].map(([, cost]) => Number(cost));
  const expected = json.json.data.map(({ cost }: { cost: { import: string } | null }) =>
    cost ? Math.round(Number(cost.import) * 100_000) : null,
  );
  for (const [index, cost] of expected.filter((one: number | null) => one !== null).entries())
    expect(Math.abs(cost - (costs[index] as number))).toBeLessThanOrEqual(5);
});
