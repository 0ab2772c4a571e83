import fc from 'fast-check';
import { expect, test } from 'vitest';
import { describeMessage, type EarlierMessage } from '../describe.ts';

const RECEIVED = Date.UTC(2026, 10, 28);
function read(topic: string, body: unknown, { replayed = false, prior = [] as EarlierMessage[] } = {}) {
  const payload = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  return describeMessage({ topic, payload, receivedAtMs: RECEIVED, replayed }, {}, prior);
}
const namesOfQuestions = (topic: string, body: unknown) => {
  const result = read(topic, body);
  expect(result?.readings ?? []).toEqual([]);
  return (result?.asks ?? []).map(({ native_name }) => native_name);
};

test('leaves a property of Homie without attributes to its name, unless the device describes others', () => {
  const topic = 'homie/plug/power/energy';
  expect(read(topic, '12.5')).toMatchObject({ family: 'names', readings: [], asks: [{ unit: null, value: 12.5 }] });
  expect(read(topic, '12.5', { replayed: true })).toMatchObject({ family: 'homie', asks: [] });
  const prior = [{ topic: 'homie/plug/power/voltage/$unit', payload: Buffer.from('V') }];
  expect(read(topic, '12.5', { prior })).toMatchObject({ family: 'homie', readings: [], asks: [] });
});

test('reads a list of OBIS codes with values and units as an object of them', () => {
  const list = [
    { obis: '1-0:1.8.0*255', value: 12_345_678.9, unit: 'Wh' },
    { obis: '1-0:2.8.0*255', value: 234_567, unit: 'Wh' },
    { obis: '1-0:16.7.0*255', value: 412, unit: 'W' },
  ];
  const wanted = [
    { channel: 'import', value: 12_345.6789 },
    { channel: 'export', value: 234.567 },
    { channel: 'import', kind: 'power_w', value: 412 },
  ];
  expect(read('meter/sml', list)?.readings).toMatchObject(wanted);
  expect(read('meter/sml', [list[0], list[0]])).toBeNull();
  expect(namesOfQuestions('sml/01.00.01.08.00.ff', '12345678.9')).toEqual(['01.00.01.08.00.ff']);
});

test('reads a point of InfluxDB’s line protocol as an object of its fields, and its tags as the device', () => {
  const fields = fc.dictionary(
    fc.constantFrom('import_kwh', 'export_kwh', 'power_w'),
    fc.integer({ min: 2, max: 90_000 }),
    { minKeys: 1 },
  );
  fc.assert(
    fc.property(fields, fc.constantFrom('', 'i'), fc.boolean(), (body, mark, hasTag) => {
      const written = Object.entries(body).map(([name, value]) => `${name}=${value}${mark}`);
      const line = `energy${hasTag ? ',host=m1' : ''} ${written.join(',')} 1764288000000000000`;
      const asObject = { ...body, time: 1_764_288_000_000, ...(hasTag && { device_name: 'm1' }) };
      expect(read('telegraf/meter', line)).toEqual(read('telegraf/meter', asObject));
    }),
  );
  // Source: jblance/mpp-solar, mppsolar/outputs/mqtt_influx.py.
  const line = 'mpp-solar,setting=ac_output_active_power value=412.0,unit="W"';
  expect(read('mpp-solar', line)?.asks).toMatchObject([{ unit: 'W', value: 412 }]);
  for (const other of ['a b=c', 'energy import_kwh=', 'energy import_kwh=7,', 'hello world', 'energy,host=m1 7'])
    expect(read('telegraf/meter', other)?.readings ?? []).toEqual([]);
});
