import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createIncomingMessage } from '#ingest/incoming.ts';
import { replayRejectedMessages } from '#ingest/replay-rejected.ts';
import { createReadingBatchWriter, type ReadingBatchWriter } from '#ingest/write/writer.ts';
import { createDatabase, type Database } from '#src/database/connect.ts';
import { getSeparateQuantityKey } from '#src/database/meter.ts';
import { ALL_ACCOUNTS } from '#src/database/reach.ts';
import { createGateway, deleteGateway, listDiscoveredDevices, updateGateway } from '#src/devices/gateways.ts';
import { deleteDevice, pairDiscoveredDevice, updateDevice } from '#src/devices/store.ts';
import { createUser } from '#src/users/store.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';

let database: TestDatabase;
let db: Database;
beforeAll(async () => {
  database = await createTestDatabase();
  db = createDatabase(database.pool);
});
afterAll(() => database.drop());

const BASE_MS = Math.floor(Date.now() / 3_600_000) * 3_600_000 - 5 * 3_600_000;

/** Creates a gateway of a household, and workers that write its messages in turn. */
async function household(workers = 1) {
  const { user_id: userId } = await createUser(db, { email: `${Math.random()}@example.com`, role: 'homeowner' });
  const { gateway } = await createGateway(db, { userId, name: 'home' });
  const gatewayId = gateway.gateway_id;
  const writers: ReadingBatchWriter[] = Array.from({ length: workers }, () => createReadingBatchWriter(database.pool));
  let turn = 0;
  return {
    userId,
    gatewayId,
    /** Writes a message as a separate batch, by the next worker in turn. */
    async receive(topic: string, payload: string | object, receivedAtMs = Date.now(), replayed = false) {
      const bytes = Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload));
      const message = createIncomingMessage({
        topic: `gw/${gatewayId}/${topic}`,
        payload: bytes,
        receivedAtMs,
        replayed,
      });
      if (!message) throw new Error('not of a gateway');
      return (writers[turn++ % writers.length] as ReadingBatchWriter).write([message]);
    },
    discovered: () => listDiscoveredDevices(db, ALL_ACCOUNTS, userId, { limit: 100 }),
    async pair(nativeId: string): Promise<string> {
      const found = (await this.discovered()).find(({ native_id }) => native_id === nativeId);
      const wanted = { userId, type: 'smart_meter', location: 'home' };
      const device = await pairDiscoveredDevice(db, ALL_ACCOUNTS, found?.discovery_id ?? '', wanted);
      if (!device) throw new Error(`${nativeId} does not wait`);
      return device.device_id;
    },
    async readings() {
      const { rows } = await database.pool.query(
        `SELECT channel, kind, read_at, value FROM readings JOIN series USING (series_id) JOIN devices USING (device_id)
         WHERE user_id = $1 ORDER BY read_at, channel, kind`,
        [userId],
      );
      return rows.map(({ channel, kind, read_at, value }) => [channel, kind, read_at.getTime() - BASE_MS, value]);
    },
    async kwh() {
      const { rows } = await database.pool.query(
        'SELECT coalesce(sum(energy_milliwatt_hours), 0)::bigint AS "milliwattHours" FROM user_hourly WHERE user_id = $1',
        [userId],
      );
      return Number(rows[0].milliwattHours) / 1e6;
    },
    async rejected() {
      const { rows } = await database.pool.query(
        `SELECT reason, device_id FROM rejected_messages
         WHERE device_id = $1 OR device_id IN (SELECT device_id FROM devices WHERE user_id = $2) ORDER BY rejected_id`,
        [gatewayId, userId],
      );
      return rows as { reason: string; device_id: string }[];
    },
  };
}

const plug = (total: number, time = '') => ({ ...(time ? { Time: time } : {}), ENERGY: { Total: total, Power: 10 } });

test('an unpaired device is listed with the quantities that would count, and none of its readings is stored', async () => {
  const home = await household();
  await home.receive('tele/plug/SENSOR', plug(100));
  await home.receive('tele/plug/SENSOR', { ENERGY: { Total: 'much' } });
  expect(await home.discovered()).toMatchObject([
    {
      gateway_id: home.gatewayId,
      family: 'tasmota',
      native_id: 'plug',
      channels: ['import'],
      quantities: [
        { channel: 'import', kind: 'energy_total_kwh', counts: 'import' },
        { channel: 'import', kind: 'power_w', counts: null },
      ],
    },
  ]);
  expect(await home.readings()).toEqual([]);
  expect(await home.rejected()).toEqual([]);
  const { rows } = await database.pool.query(
    'SELECT 1 FROM series s JOIN devices d USING (device_id) WHERE user_id = $1',
    [home.userId],
  );
  expect(rows).toEqual([]);
});

test('a paired device counts from its pairing on, is reported as connected, and is no longer listed', async () => {
  const home = await household();
  await home.receive('tele/plug/SENSOR', plug(100), BASE_MS);
  const deviceId = await home.pair('plug');
  expect(await home.discovered()).toEqual([]);
  await home.receive('tele/plug/SENSOR', plug(101), BASE_MS + 600_000);
  await home.receive('tele/plug/SENSOR', plug(101.5), BASE_MS + 1_200_000);
  expect((await home.readings()).filter(([, kind]) => kind === 'register')).toEqual([
    ['import', 'register', 600_000, 101_000_000],
    ['import', 'register', 1_200_000, 101_500_000],
  ]);
  expect(await home.kwh()).toBe(0.5);
  const { rows } = await database.pool.query(
    `SELECT data FROM events WHERE type = 'device.connected' AND user_id = $1`,
    [home.userId],
  );
  expect(rows).toMatchObject([{ data: { device_id: deviceId } }]);
  // The device is paired now, so its unusable values are stored under its id.
  await home.receive('tele/plug/SENSOR', { ENERGY: { Total: 'much', Power: 5 } });
  expect(await home.rejected()).toEqual([{ device_id: deviceId, reason: expect.stringContaining('Total') }]);
  // The message contains the power after the unusable value. The power was stored nevertheless.
  expect((await home.readings()).at(-1)?.slice(0, 2)).toEqual(['import', 'power']);
});

test('a P1 port also reports its gas meter: in m³, at that meter’s time, and not as electricity', async () => {
  const home = await household();
  const stamp = (ms: number) => `${new Date(ms + 3_600_000).toISOString().replaceAll(/\D/g, '').slice(2, 14)}W`;
  const telegram = (atMs: number, kwh: string, gasAtMs: number, cubicMetres: string) =>
    [
      '/ISk5\\2MT382-1000',
      '',
      `0-0:1.0.0(${stamp(atMs)})`,
      '0-0:96.1.1(4B384547303034303436333935353037)',
      `1-0:1.8.0(${kwh}*kWh)`,
      '0-1:24.1.0(003)',
      `0-1:24.2.1(${stamp(gasAtMs)})(${cubicMetres}*m3)`,
      '!',
      '',
    ].join('\r\n');
  const sendTelegram = (minutes: number, kwh: string, gasMinutes: number, cubicMetres: string) =>
    home.receive(
      'p1/telegram',
      telegram(BASE_MS + minutes * 60_000, kwh, BASE_MS + gasMinutes * 60_000, cubicMetres),
      BASE_MS + minutes * 60_000,
    );
  await sendTelegram(1, '000100.000', 0, '10142.194');
  expect((await home.discovered())[0]?.quantities).toEqual([
    { channel: 'import', kind: 'energy_total_kwh', counts: 'import' },
    { channel: 'mbus1/gas/m3', kind: 'volume_total_m3', counts: null },
  ]);
  await home.pair('K8EG004046395507');
  await sendTelegram(2, '000100.000', 0, '10142.194');
  await sendTelegram(7, '000100.250', 5, '10142.195');
  // The gas meter's own timestamp is unchanged, so its reading is the same as before.
  await sendTelegram(8, '000100.300', 5, '10142.195');
  await sendTelegram(12, '000100.500', 10, '10142.600');
  expect((await home.readings()).filter(([channel]) => channel === 'mbus1/gas/m3')).toEqual([
    ['mbus1/gas/m3', 'register', 0, 10_142_194_000],
    ['mbus1/gas/m3', 'register', 300_000, 10_142_195_000],
    ['mbus1/gas/m3', 'register', 600_000, 10_142_600_000],
  ]);
  expect(await home.kwh()).toBe(0.5);
  const { rows } = await database.pool.query(
    `SELECT sum(energy_milliwatt_hours)::bigint AS whole FROM user_hourly WHERE user_id = $1`,
    [getSeparateQuantityKey(home.userId, 'gas_m3')],
  );
  expect(Number(rows[0].whole)).toBe(406_000);
});

test('a deleted device is discovered again, and counts as a new one', async () => {
  const home = await household();
  await home.receive('tele/plug/SENSOR', plug(100));
  const first = await home.pair('plug');
  expect(await deleteDevice(db, ALL_ACCOUNTS, first)).toBe(true);
  await home.receive('tele/plug/SENSOR', plug(100));
  expect(await home.discovered()).toHaveLength(1);
  expect(await home.pair('plug')).not.toBe(first);
});

test('an unreadable message is stored for the gateway, because its device is unknown', async () => {
  const home = await household();
  await home.receive('tele/plug/SENSOR', '{"ENERGY": {"Total"');
  expect(await home.rejected()).toEqual([{ device_id: home.gatewayId, reason: expect.any(String) }]);
});

test('local time is in the device’s zone, else in the gateway’s, else it is unknown', async () => {
  const home = await household();
  await home.receive('tele/plug/SENSOR', plug(1));
  const deviceId = await home.pair('plug');
  const utc = new Date(BASE_MS).toISOString().slice(0, 19);
  const local = new Date(BASE_MS + 9 * 3_600_000).toISOString().slice(0, 19);
  await home.receive('tele/plug/SENSOR', plug(2, utc), BASE_MS + 1_000);
  await updateGateway(db, ALL_ACCOUNTS, home.gatewayId, { decoder_config: { tz: 'UTC', meter: 'rubbish' } });
  await home.receive('tele/plug/SENSOR', plug(3, utc), BASE_MS + 2_000);
  await updateDevice(db, ALL_ACCOUNTS, deviceId, { timezone: 'Asia/Tokyo' });
  await home.receive('tele/plug/SENSOR', plug(4, local.replace(/:00$/, ':03')), BASE_MS + 4_000);
  const registers = (await home.readings()).filter(([, kind]) => kind === 'register');
  expect(registers.map(([, , atMs, value]) => [atMs, value])).toEqual([
    [0, 3_000_000],
    [1_000, 2_000_000],
    [3_000, 4_000_000],
  ]);
});

test('a message that the broker sends again counts only if it contains its own time', async () => {
  const home = await household();
  await home.receive('tele/plug/SENSOR', plug(1));
  await home.pair('plug');
  await home.receive('tele/plug/SENSOR', plug(2), BASE_MS, true);
  expect(await home.readings()).toEqual([]);
  await home.receive(
    'tele/plug/SENSOR',
    plug(2, `${new Date(BASE_MS).toISOString().slice(0, 19)}+00:00`),
    BASE_MS,
    true,
  );
  expect((await home.readings()).map(([, kind]) => kind)).toEqual(['power', 'register']);
});

test('announcements, their changes and withdrawals that one worker receives apply at the others', async () => {
  const home = await household(2);
  const config = (unit: string) => ({
    name: 'Energy',
    uniq_id: 'meter_energy',
    stat_t: 'meter/sensor/energy/state',
    unit_of_meas: unit,
    dev_cla: 'energy',
    stat_cla: 'total_increasing',
    dev: { ids: ['meter'], name: 'meter' },
  });
  const announce = (payload: string | object) => home.receive('homeassistant/sensor/meter/energy/config', payload);
  const sendState = (value: string, atMs: number) => home.receive('meter/sensor/energy/state', value, BASE_MS + atMs);
  await announce(config('kWh'));
  await sendState('10', 0);
  await home.pair('meter');
  await sendState('11', 1_000);
  await sendState('12', 2_000);
  await announce(config('Wh'));
  await sendState('13000', 3_000);
  await sendState('14000', 4_000);
  // A third worker, whose cache is empty.
  const late = createReadingBatchWriter(database.pool);
  const message = createIncomingMessage({
    topic: `gw/${home.gatewayId}/meter/sensor/energy/state`,
    payload: Buffer.from('15000'),
    receivedAtMs: BASE_MS + 5_000,
    replayed: false,
  });
  if (message) await late.write([message]);
  expect((await home.readings()).map(([, , , value]) => value)).toEqual([11e6, 12e6, 13e6, 14e6, 15e6]);
  await announce('');
  await sendState('16000', 6_000);
  await sendState('17000', 7_000);
  expect(await home.readings()).toHaveLength(5);
});

/** Returns a Home Assistant announcement of one value of a device. */
const announced = (id: string, stateTopic: string, about: object = {}) => ({
  state_topic: stateTopic,
  unit_of_measurement: 'kWh',
  device_class: 'energy',
  state_class: 'total_increasing',
  device: { identifiers: [id] },
  ...about,
});

test('an announced device is listed with its topics, and can be paired once a value has arrived', async () => {
  const home = await household(2);
  await home.receive('homeassistant/sensor/ss/total/config', announced('ss', 'SS/total'), BASE_MS);
  const [first] = await home.discovered();
  expect(first).toMatchObject({ family: 'homeassistant', native_id: 'ss', quantities: [], awaits: 'SS/total' });
  const power = { unit_of_measurement: 'W', device_class: 'power', state_class: 'measurement' };
  await home.receive('homeassistant/sensor/ss/power/config', announced('ss', 'SS/power', power), BASE_MS + 600_000);
  const [widened] = await home.discovered();
  expect(widened).toEqual({ ...first, awaits: 'SS/#' });
  await expect(home.pair('ss')).rejects.toMatchObject({
    is: 'valueNeeded',
    details: [{ field: 'discovery_id', message: expect.stringContaining('bridge SS/# first') }],
  });
  await home.receive('SS/total', '10', BASE_MS + 1_200_000);
  const receivedAt = new Date(BASE_MS + 1_200_000);
  expect(await home.discovered()).toMatchObject([
    { awaits: null, channels: ['import'], first_seen_at: receivedAt, last_seen_at: receivedAt },
  ]);
  const deviceId = await home.pair('ss');
  const { rows } = await database.pool.query('SELECT * FROM discovered_devices WHERE device_id = $1', [deviceId]);
  await home.receive('homeassistant/sensor/ss/total/config', announced('ss', 'SS/total'), BASE_MS + 1_800_000);
  const again = await database.pool.query('SELECT * FROM discovered_devices WHERE device_id = $1', [deviceId]);
  expect(again.rows).toEqual(rows);
  expect(await home.discovered()).toEqual([]);
});

test('an announced device that another family reads is listed only by that family', async () => {
  const home = await household(2);
  const announce = (name: string) =>
    home.receive(
      `homeassistant/sensor/0x${name}/energy/config`,
      announced(`0x${name}`, `zigbee2mqtt/${name}`, { value_template: '{{ value_json.energy }}' }),
    );
  const sendState = (name: string) => home.receive(`zigbee2mqtt/${name}`, { energy: 3.5 });
  const listed = async () => (await home.discovered()).map(({ native_id, awaits }) => [native_id, awaits]);
  await announce('fridge');
  expect(await listed()).toEqual([['0xfridge', 'zigbee2mqtt/fridge']]);
  await sendState('fridge');
  await announce('fridge');
  expect(await listed()).toEqual([['fridge', null]]);
  // A message may arrive before the announcement of its device, for example after the service has been updated.
  await sendState('kettle');
  await announce('kettle');
  expect((await listed()).sort()).toEqual([
    ['fridge', null],
    ['kettle', null],
  ]);
});

test('announcements received in a failed transaction are discarded', async () => {
  const home = await household();
  const writer = createReadingBatchWriter(database.pool);
  const of = (topic: string, payload: string) => {
    const message = createIncomingMessage({
      topic: `gw/${home.gatewayId}/${topic}`,
      payload: Buffer.from(payload),
      receivedAtMs: Date.now(),
      replayed: false,
    });
    if (!message) throw new Error('not of a gateway');
    return message;
  };
  const config = of(
    'homeassistant/sensor/m/e/config',
    JSON.stringify({
      stat_t: 'm/e',
      unit_of_meas: 'kWh',
      dev_cla: 'energy',
      stat_cla: 'total',
      uniq_id: 'e',
      dev: { ids: ['m'] },
    }),
  );
  await database.pool.query('ALTER TABLE discovered_devices ADD CONSTRAINT fails CHECK (false) NOT VALID');
  await expect(writer.write([config, of('m/e', '1')])).rejects.toThrow();
  await database.pool.query('ALTER TABLE discovered_devices DROP CONSTRAINT fails');
  await writer.write([of('m/e', '2')]);
  expect(await home.discovered()).toEqual([]);
  await writer.write([config, of('m/e', '3')]);
  expect(await home.discovered()).toHaveLength(1);
});

test('an unknown gateway’s messages are rejected, and a flood of names is limited', async () => {
  const writer = createReadingBatchWriter(database.pool);
  const message = createIncomingMessage({
    topic: 'gw/gwy_nobody/tele/plug/SENSOR',
    payload: Buffer.from(JSON.stringify(plug(1))),
    receivedAtMs: Date.now(),
    replayed: false,
  });
  if (message) expect(await writer.write([message])).toMatchObject({ stored: 0, rejected: 1 });
  const home = await household();
  for (let first = 0; first < 3_000; first += 500) {
    const batch = Array.from({ length: 500 }, (_, index) =>
      createIncomingMessage({
        topic: `gw/${home.gatewayId}/tele/plug${first + index}/SENSOR`,
        payload: Buffer.from(JSON.stringify(plug(1))),
        receivedAtMs: Date.now(),
        replayed: false,
      }),
    ).filter((one) => one !== null);
    await writer.write(batch);
  }
  const { rows } = await database.pool.query(
    'SELECT count(*)::int AS n FROM discovered_devices WHERE gateway_id = $1',
    [home.gatewayId],
  );
  expect(rows[0].n).toBe(2_000);
});

test('a pulse count without a unit waits for its owner’s setting, and is stored by a replay', async () => {
  const home = await household();
  const count = (consumption: number, atMs: number) => ({
    Time: new Date(BASE_MS + atMs).toISOString(),
    Type: 'SCM',
    Message: { ID: 12345678, Type: 7, Consumption: consumption },
  });
  await home.receive('rtlamr/scm', count(1_000, 0));
  expect(await home.discovered()).toMatchObject([{ family: 'rtlamr', native_id: '12345678', quantities: [] }]);
  const deviceId = await home.pair('12345678');
  await home.receive('rtlamr/scm', count(1_010, 60_000));
  await home.receive('rtlamr/scm', count(1_020, 120_000));
  expect(await home.rejected()).toEqual(
    [1, 2].map(() => ({ device_id: deviceId, reason: expect.stringContaining('12345678') })),
  );
  await updateDevice(db, ALL_ACCOUNTS, deviceId, {
    decoder_config: { meter: { 12345678: { unit: 'kWh', multiplier: 0.01 } } },
  });
  expect(await replayRejectedMessages(database.pool, { deviceId }, { retentionMonths: 13 })).toMatchObject({
    messages: 2,
    stored: 2,
    rejected: 0,
  });
  expect((await home.readings()).map(([, , atMs, value]) => [atMs, value])).toEqual([
    [60_000, 10_100_000],
    [120_000, 10_200_000],
  ]);
  expect(await home.rejected()).toEqual([]);
});

test('a replay of rejected messages does not undo later announcements', async () => {
  const home = await household();
  const config = {
    stat_t: 'm/e',
    unit_of_meas: 'kWh',
    dev_cla: 'energy',
    stat_cla: 'total',
    uniq_id: 'e',
    dev: { ids: ['m'] },
  };
  const announce = (payload: string | object, atMs: number) =>
    home.receive('homeassistant/sensor/m/e/config', payload, BASE_MS + atMs);
  await announce(config, 0);
  await home.receive('m/e', '1', BASE_MS);
  await home.pair('m');
  await announce('{broken', 60_000);
  await announce(config, 200_000);
  await home.receive('m/e', '2', BASE_MS + 300_000);
  await replayRejectedMessages(database.pool, {}, { retentionMonths: 13 });
  await home.receive('m/e', '3', BASE_MS + 400_000);
  expect((await home.readings()).map(([, , , value]) => value)).toEqual([2e6, 3e6]);
});

test('a refused value is stored for a paired device only', async () => {
  const home = await household();
  await updateGateway(db, ALL_ACCOUNTS, home.gatewayId, { decoder_config: { senml: { topics: ['senml/#'] } } });
  const pack = (good: number, bad: unknown) => [
    { n: 'urn:dev:mac:00000000000000aa_energy', u: 'kWh', v: good },
    { n: 'urn:dev:mac:00000000000000bb_energy', u: 'kWh', v: bad },
  ];
  await home.receive('senml/x', pack(1, 1));
  const natives = (await home.discovered()).map(({ native_id }) => native_id).sort();
  expect(natives).toHaveLength(2);
  const [first, second] = natives as [string, string];
  await home.pair(first);
  // The values of the first device are valid and stored. The second device is not paired, so none of its values are stored, not even as
  // rejected.
  await home.receive('senml/x', pack(2, -5));
  const before = await home.rejected();
  const deviceId = await home.pair(second);
  await home.receive('senml/x', pack(3, -5));
  const after = await home.rejected();
  expect(after.slice(before.length)).toEqual([{ device_id: deviceId, reason: expect.any(String) }]);
  expect(before).toEqual([]);
});

/** Returns random words. They cannot be compressed, so that a long text of them does not fit into an index entry (at most 2,704 bytes). */
const longWords = (count: number) => Array.from({ length: count }, () => randomBytes(8).toString('hex'));

test('an announcement on a topic too long for a key is refused, without naming the announced device', async () => {
  const home = await household();
  const topic = `homeassistant/sensor/${longWords(50).join('_')}/config`;
  expect(await home.receive(topic, { state_topic: 'm/e', device_class: 'energy' })).toMatchObject({ rejected: 1 });
  expect(await home.rejected()).toEqual([
    { device_id: home.gatewayId, reason: 'announced on a topic of more than 512 bytes' },
  ]);
  const { rows } = await database.pool.query('SELECT payload FROM rejected_messages WHERE device_id = $1', [
    home.gatewayId,
  ]);
  expect(rows.map(({ payload }) => payload.length)).toEqual([0]);
  // If no device family reads a topic, it is counted as unrecognised. This also holds for a long topic.
  expect(await home.receive(longWords(500).join('/'), '1')).toMatchObject({ rejected: 0 });
  expect(await home.receive(`homeassistant/sensor/${'x'.repeat(480)}/config`, '{}')).toMatchObject({ rejected: 0 });
});

test('a gateway’s rejections are deleted with it', async () => {
  const home = await household();
  await home.receive('tele/plug/SENSOR', '{"ENERGY": {"Total"');
  expect(await home.rejected()).toHaveLength(1);
  expect(await deleteGateway(db, ALL_ACCOUNTS, home.gatewayId)).toBe(true);
  expect(await home.rejected()).toEqual([]);
  await home.receive('tele/plug/SENSOR', plug(1));
  const { rows } = await database.pool.query('SELECT payload FROM rejected_messages WHERE device_id = $1', [
    home.gatewayId,
  ]);
  expect(rows.map(({ payload }) => payload.length)).toEqual([0]);
});
