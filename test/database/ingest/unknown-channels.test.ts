import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createIncomingMessage } from '#ingest/incoming.ts';
import { createReadingBatchWriter } from '#ingest/write/writer.ts';
import { hasUnknownChannelNameSql } from '#src/database/meter.ts';
import { parseChannel } from '#src/devices/channel-name.ts';
import { startTestApi, type TestApi } from '#test/support/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

const MINUTE_MS = 60_000;
const BASE_MS = Math.floor(Date.now() / 3_600_000) * 3_600_000 - 5 * 3_600_000;
const NAMES = ['feed_in', 'exprot', 'reactive', 'production', 'gas_m3'];

/**
 * Creates a device that sends registers in the service's native format. `receive` sends their values (kWh) for a minute after the start.
 */
async function device() {
  const { key } = await api.user('homeowner');
  const paired = await api.send('/v1/devices', {
    key,
    method: 'POST',
    body: { type: 'smart_meter', location: 'hall' },
  });
  const path = `/v1/devices/${paired.json.device_id}`;
  const writer = createReadingBatchWriter(api.database.pool);
  return {
    deviceId: paired.json.device_id as string,
    receive: (kwh: Record<string, number>, minute: number) => {
      const elements = Object.entries(kwh).map(([channel, energy_total_kwh]) => ({
        channel,
        energy_total_kwh,
        ts: BASE_MS + minute * MINUTE_MS,
      }));
      const message = createIncomingMessage({
        topic: `energy/v1/${paired.json.device_id}/readings`,
        payload: Buffer.from(JSON.stringify(elements)),
        receivedAtMs: BASE_MS + minute * MINUTE_MS,
        replayed: false,
      });
      return writer.write(message ? [message] : []);
    },
    show: async () => (await api.send(path, { key })).json,
    setChannels: (...channels: object[]) => api.send(path, { key, method: 'PATCH', body: { channels } }),
  };
}

test('a native channel with an unknown name is listed, does not count, and needs its owner’s attention', async () => {
  const meter = await device();
  const all = (kwh: number) => Object.fromEntries(['Import', ...NAMES].map((name) => [name, kwh]));
  await meter.receive(all(1), 0);
  await meter.receive({ ...all(2), 'a/b/import': 2 }, 30);
  const { rows } = await api.database.pool.query(
    'SELECT channel FROM series WHERE device_id = $1 AND (counts_import OR counts_export)',
    [meter.deviceId],
  );
  expect(rows).toEqual([{ channel: 'import' }]);
  const shown = await meter.show();
  expect(shown.attention).toContain('unknown_quantity');
  for (const name of NAMES)
    expect(shown.channels).toContainEqual(
      expect.objectContaining({
        native_name: `${name} energy_total_kwh`,
        unit: 'kWh',
        last_value: 2,
        counts_as: null,
        asked: true,
      }),
    );
  const rejected = await api.database.pool.query('SELECT reason FROM rejected_messages WHERE device_id = $1', [
    meter.deviceId,
  ]);
  expect(rejected.rows).toEqual([{ reason: expect.stringContaining('at most one slash before import') }]);

  // The meaning of an inverter's or battery's register also determines which part of the home (placement) the register measures. Without
  // the meaning, this part is not set either.
  const word = { native_name: 'production energy_total_kwh' };
  const answer = await meter.setChannels({ ...word, counts_as: 'production' });
  expect(answer.json.channels).toContainEqual(
    expect.objectContaining({ ...word, counts_as: 'production', placement: 'production', asked: false }),
  );
  const unsaid = await meter.setChannels({ ...word, counts_as: 'ignored' });
  expect(unsaid.json.channels).toContainEqual(expect.objectContaining({ ...word, placement: null }));
});

test('the SQL pattern for known channels matches the same names as the code', async () => {
  const word = fc.constantFrom(
    'import',
    'export',
    'gas',
    'heat',
    'm3',
    'cooling',
    'unknown',
    't1',
    'l12',
    'feed_in',
    'a',
  );
  const names = fc.sample(fc.array(word, { minLength: 1, maxLength: 4 }), 500).map((words) => words.join('/'));
  const query = hasUnknownChannelNameSql.compile(api.db);
  const { rows } = await api.database.pool.query(
    `SELECT s.channel, ${query.sql} AS unknown FROM (SELECT unnest($1::text[]) AS channel, NULL::text AS meant, 'power' AS kind) s`,
    [names],
  );
  expect(rows.map(({ channel, unknown }) => [channel, !unknown])).toEqual(
    names.map((channel) => [channel, parseChannel(channel).known]),
  );
});

test('the update keeps the counted energy of a channel with an unknown name, and reports that its meaning must be set', async () => {
  const meter = await device();
  const registers = { import: 1, feed_in: 1, 'export/roof': 1, gas_m3: 1, 'kitchen/import': 1, reactive: 1 };
  await meter.receive(registers, 0);
  // Restores the data of the previous version, in which all unknown channels but one contributed to the total.
  const pool = api.database.pool;
  await pool.query(
    "UPDATE series SET counts_import = channel <> 'export/roof', counts_export = channel = 'export/roof' WHERE device_id = $1 AND channel <> 'reactive'",
    [meter.deviceId],
  );
  await meter.setChannels({ native_name: 'gas_m3 energy_total_kwh', counts_as: 'export' });
  const before = await pool.query('SELECT channels, computed_with FROM devices WHERE device_id = $1', [meter.deviceId]);
  expect(before.rows[0].channels).toEqual({ 'gas_m3 energy_total_kwh': { counts_as: 'export' } });
  await pool.query(
    `DROP INDEX series_unknown_name; CREATE INDEX series_unknown ON series (device_id) WHERE (channel ~ '(^|/)unknown/')`,
  );
  await pool.query(readFileSync(resolve(import.meta.dirname, '../../../sql/schema/0059_unknown_channels.sql'), 'utf8'));
  const { rows } = await pool.query('SELECT channels FROM devices WHERE device_id = $1', [meter.deviceId]);
  expect(rows[0].channels).toEqual({
    'feed_in energy_total_kwh': { counts_as: 'import', circuit: 'feed_in', asked: true },
    'export/roof energy_total_kwh': { counts_as: 'export', circuit: 'roof', asked: true },
    'gas_m3 energy_total_kwh': { counts_as: 'export', circuit: 'gas_m3' },
  });

  // The channels still contribute as before the update. The owner is asked about their meaning.
  await meter.receive(Object.fromEntries(Object.keys(registers).map((name) => [name, 2])), 30);
  const roles = await pool.query(
    'SELECT channel, counts_export FROM series WHERE device_id = $1 AND (counts_import OR counts_export) ORDER BY series_id',
    [meter.deviceId],
  );
  expect(roles.rows.map(({ channel, counts_export }) => [channel, counts_export])).toEqual([
    ['import', false],
    ['feed_in', false],
    ['export/roof', true],
    ['gas_m3', true],
    ['kitchen/import', false],
  ]);
  const shown = await meter.show();
  const asked = shown.channels.filter(({ asked }: { asked: boolean }) => asked);
  expect(asked.map((one: { native_name: string; counts_as: string }) => [one.native_name, one.counts_as])).toEqual([
    ['feed_in energy_total_kwh', 'import'],
    ['export/roof energy_total_kwh', 'export'],
    ['reactive energy_total_kwh', null],
  ]);
  const patched = await meter.setChannels(
    { native_name: 'feed_in energy_total_kwh', counts_as: 'export' },
    { native_name: 'export/roof energy_total_kwh', counts_as: 'production' },
    { native_name: 'reactive energy_total_kwh', counts_as: 'ignored' },
  );
  expect(patched.json.attention).not.toContain('unknown_quantity');
  const stored = await pool.query('SELECT channels FROM devices WHERE device_id = $1', [meter.deviceId]);
  expect(stored.rows[0].channels['feed_in energy_total_kwh']).toEqual({ counts_as: 'export' });
});
