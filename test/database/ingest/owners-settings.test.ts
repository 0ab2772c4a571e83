import { afterAll, beforeAll, expect, test } from 'vitest';
import { createIncomingMessage } from '#ingest/incoming.ts';
import { recomputeChangedDevices } from '#ingest/write/changed-devices.ts';
import { createReadingBatchWriter, type ReadingBatchWriter } from '#ingest/write/writer.ts';
import { createDatabase, type Database } from '#src/database/connect.ts';
import { ALL_ACCOUNTS } from '#src/database/reach.ts';
import type { ChannelSettingPatch } from '#src/devices/channels.ts';
import { createGateway, listDiscoveredDevices } from '#src/devices/gateways.ts';
import { findDevice, pairDiscoveredDevice, updateDevice } from '#src/devices/store.ts';
import { loadUsageInsights } from '#src/energy/insights.ts';
import { createDayRange } from '#src/energy/ranges.ts';
import { createUser } from '#src/users/store.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';

let database: TestDatabase;
let db: Database;
beforeAll(async () => {
  database = await createTestDatabase();
  db = createDatabase(database.pool);
});
afterAll(() => database.drop());

const MINUTE_MS = 60_000;
const BASE_MS = Math.floor(Date.now() / 3_600_000) * 3_600_000 - 5 * 3_600_000;

/**
 * Creates a device that reads a meter, and pairs the device at its first message. The owner has chosen the names of the registers, in the
 * device's script.
 */
async function reader(first: object, channels?: ChannelSettingPatch[]) {
  const { user_id: userId } = await createUser(db, { email: `${Math.random()}@example.com`, role: 'homeowner' });
  const { gateway } = await createGateway(db, { userId, name: 'home' });
  const writer: ReadingBatchWriter = createReadingBatchWriter(database.pool);
  const receive = (sml: object, minute: number) => {
    const message = createIncomingMessage({
      topic: `gw/${gateway.gateway_id}/tele/reader/SENSOR`,
      payload: Buffer.from(JSON.stringify({ SML: sml })),
      receivedAtMs: BASE_MS + minute * MINUTE_MS,
      replayed: false,
    });
    return writer.write(message ? [message] : []);
  };
  await receive(first, 0);
  const [found] = await listDiscoveredDevices(db, ALL_ACCOUNTS, userId, { limit: 10 });
  const wanted = { userId, type: 'smart_meter', location: 'home', ...(channels ? { channels } : {}) };
  const paired = await pairDiscoveredDevice(db, ALL_ACCOUNTS, found?.discovery_id ?? '', wanted);
  const deviceId = paired?.device_id ?? '';
  return {
    userId,
    found,
    receive: receive,
    setChannels: async (...said: ChannelSettingPatch[]) => {
      const device = await updateDevice(db, ALL_ACCOUNTS, deviceId, { channels: said });
      await recomputeChangedDevices(database.pool, writer);
      return device;
    },
    device: async () => {
      const device = await findDevice(db, ALL_ACCOUNTS, deviceId);
      if (!device) throw new Error('the device is gone');
      return device;
    },
    kwh: async () => {
      const { rows } = await database.pool.query(
        `SELECT coalesce(sum(energy_milliwatt_hours), 0)::bigint AS imported, coalesce(sum(export_milliwatt_hours), 0)::bigint AS exported
         FROM device_intervals WHERE device_id = $1`,
        [deviceId],
      );
      return [Number(rows[0].imported) / 1e6, Number(rows[0].exported) / 1e6];
    },
  };
}

test('an unknown register is listed and needs its owner’s attention; once its meaning is set, its whole history counts', async () => {
  const meter = await reader({ Wert_A: 1000, Wert_B: 50, Power: 100 });
  expect(meter.found?.quantities).toContainEqual({
    channel: 'sml/unknown/wert_a',
    kind: 'energy_total_kwh',
    counts: null,
  });
  for (const minute of [10, 20, 30]) {
    await meter.receive({ Wert_A: 1000 + minute / 10, Wert_B: 50 + minute / 100, Power: 100 }, minute);
  }
  const device = await meter.device();
  expect(device.attention).toContain('unknown_quantity');
  expect(device.channels).toMatchObject([
    { native_name: 'SML.Wert_A', unit: null, last_value: 1003, counts_as: null },
    { native_name: 'SML.Wert_B', last_value: 50.3, counts_as: null },
    { native_name: 'SML.Power', unit: 'W', last_value: 100, counts_as: 'import' },
  ]);
  // If the device also has registers of unknown meaning, its power does not contribute to the total.
  expect(await meter.kwh()).toEqual([0, 0]);

  await meter.setChannels({ native_name: 'SML.Wert_A', counts_as: 'import' });
  expect(await meter.kwh()).toEqual([2, 0]);
  expect((await meter.device()).attention).toContain('unknown_quantity');

  const answer = await meter.setChannels({ native_name: 'SML.Wert_B', counts_as: 'export' });
  expect(answer?.attention).not.toContain('unknown_quantity');
  expect(await meter.kwh()).toEqual([2, 0.2]);

  // Later values of the register count as the owner has set, and the owner can change the setting again.
  await meter.receive({ Wert_A: 1004, Wert_B: 50.4, Power: 100 }, 40);
  expect(await meter.kwh()).toEqual([3, 0.3]);
  await meter.setChannels(
    { native_name: 'SML.Wert_B', counts_as: 'import/t2' },
    { native_name: 'SML.Wert_A', counts_as: 'import/t1' },
  );
  expect(await meter.kwh()).toEqual([3.3, 0]);
  await meter.setChannels(
    { native_name: 'SML.Wert_B', counts_as: null },
    { native_name: 'SML.Wert_A', counts_as: 'ignored' },
  );
  expect(await meter.kwh()).toEqual([0, 0]);
  expect((await meter.device()).channels).toMatchObject([{ counts_as: 'ignored' }, { counts_as: null }, {}]);
  const stored = await database.pool.query('SELECT count(*)::int AS n FROM devices WHERE computed_with IS NOT NULL');
  expect(stored.rows).toEqual([{ n: 0 }]);
});

test('the owner’s setting overrides the meaning of a name', async () => {
  const meter = await reader({ Total_in: 10, Total_out: 5 });
  await meter.receive({ Total_in: 11, Total_out: 5.5 }, 10);
  await meter.receive({ Total_in: 12, Total_out: 6 }, 20);
  expect(await meter.kwh()).toEqual([1, 0.5]);
  await meter.setChannels(
    { native_name: 'SML.Total_in', counts_as: 'export' },
    { native_name: 'SML.Total_out', counts_as: 'import' },
  );
  expect(await meter.kwh()).toEqual([0.5, 1]);
  await meter.setChannels({ native_name: 'SML.Total_in', counts_as: 'gas' });
  expect(await meter.kwh()).toEqual([0.5, 0]);
  expect((await meter.device()).channels[0]?.counts_as).toBe('gas');
});

test('an ignored register does not prevent a power from counting', async () => {
  const meter = await reader({ Wert_A: 10, Power: 600 });
  for (const minute of [10, 20]) await meter.receive({ Wert_A: 10, Power: 600 }, minute);
  expect(await meter.kwh()).toEqual([0, 0]);
  await meter.setChannels({ native_name: 'SML.Wert_A', counts_as: 'ignored' });
  expect(await meter.kwh()).toEqual([0.1, 0]);
});

test('removing a setting changes the home’s usage at once', async () => {
  const meter = await reader({ Wert_A: 1000 });
  for (const minute of [10, 20, 30]) await meter.receive({ Wert_A: 1000 + minute / 10 }, minute);
  for (const minute of [120, 130, 140]) await meter.receive({ Wert_A: 1003, Wert_B: 50 + minute / 10 }, minute);
  const totalWith = async (countsAs: 'import' | 'ignored') => {
    await meter.setChannels(
      { native_name: 'SML.Wert_A', counts_as: countsAs },
      { native_name: 'SML.Wert_B', counts_as: 'export' },
    );
    const day = new Date(BASE_MS).toISOString().slice(0, 10);
    const rows = await loadUsageInsights(
      db,
      meter.userId,
      createDayRange(day, day, 'UTC'),
      'hour',
      new Set(['coverage']),
    );
    return rows.find(({ starts_at }) => new Date(starts_at ?? '').getTime() === BASE_MS);
  };
  expect(await totalWith('ignored')).not.toMatchObject({ kwh_used: 2 });
  expect(await totalWith('import')).toMatchObject({ kwh_used: 2, coverage: 0.833 });
});

test('settings made at the pairing apply from the first reading on', async () => {
  const meter = await reader({ Wert_A: 10 }, [{ native_name: 'SML.Wert_A', counts_as: 'import' }]);
  expect((await meter.device()).channels).toMatchObject([
    { native_name: 'SML.Wert_A', last_value: null, counts_as: 'import' },
  ]);
  await meter.receive({ Wert_A: 10 }, 10);
  await meter.receive({ Wert_A: 11 }, 20);
  expect(await meter.kwh()).toEqual([1, 0]);
  expect((await meter.device()).attention).not.toContain('unknown_quantity');
});

test('a meaning can be set only once in a circuit, and the direction of a power cannot be reversed', async () => {
  const meter = await reader({ Wert_A: 10, Wert_B: 5, Total_in: 3, Power: 1 });
  await meter.receive({ Wert_A: 10, Wert_B: 5, Total_in: 3, Power: 1 }, 10);
  const patchChannels = (...words: ChannelSettingPatch[]) => meter.setChannels(...words);
  await expect(patchChannels({ native_name: 'SML.Wert_A', counts_as: 'import' })).rejects.toMatchObject({
    is: 'unprocessable',
  });
  await expect(
    patchChannels(
      { native_name: 'SML.Wert_A', counts_as: 'export' },
      { native_name: 'SML.Wert_B', counts_as: 'export' },
    ),
  ).rejects.toMatchObject({ is: 'unprocessable' });
  await expect(patchChannels({ native_name: 'SML.Power', counts_as: 'export' })).rejects.toMatchObject({
    is: 'unprocessable',
  });
  await patchChannels(
    { native_name: 'SML.Wert_A', counts_as: 'import' },
    { native_name: 'SML.Total_in', counts_as: 'ignored' },
  );
  expect((await meter.device()).channels.map(({ counts_as }) => counts_as)).toEqual([
    'import',
    null,
    'ignored',
    'import',
  ]);
});
