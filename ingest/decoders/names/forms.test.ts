import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readMessage } from '#test/support/read-message.ts';

test('a time at the end of a topic distinguishes no devices', () => {
  // Source: README.md of nabovarme/MeterLogger.
  const payload = 'heap=21376&t1=23.61 C&tdif=1.42 K&effect1=0.0 kW&hr=73327 h&v1=1321.27 m3&e1=56.726 MWh&';
  for (const at of ['1514764800', '1514764860'])
    expect(readMessage(`/sample/v2/9999999/${at}`, payload)?.asks).toMatchObject([
      { device: '/sample/v2/9999999', value: 56_726 },
    ]);
});

test('reads a list of names, values and units as an object of them', () => {
  const numbers = fc.dictionary(
    fc.constantFrom('total_import', 'total_export', 'active power'),
    fc.record({ value: fc.integer({ min: 2, max: 9_000 }), unit: fc.constantFrom('kWh', 'Wh', 'W') }),
    { minKeys: 1 },
  );
  fc.assert(
    fc.property(numbers, (byName) => {
      const list = Object.entries(byName).map(([name, one]) => ({ name, ...one }));
      expect(readMessage('cellar/x', { values: list })).toEqual(readMessage('cellar/x', { values: byName }));
    }),
  );
});

test('asks about numbered data points, in an object or one by one, as the same numbers of the same device', () => {
  const value = fc.integer({ min: 2, max: 90_000 });
  // Each generated message contains either Tuya's standard points or points that the maker has added. Next to standard points, the maker's
  // points would be ignored.
  const pointsFrom = (min: number, max: number) =>
    fc.dictionary(fc.integer({ min, max }).map(String), value, { minKeys: 1, maxKeys: 3 });
  const points = fc.oneof(pointsFrom(1, 100), pointsFrom(101, 255));
  fc.assert(
    fc.property(points, (dps) => {
      const wanted = Object.entries(dps).map(([number, one]) => ({
        device: 'tuya/plug',
        native_name: `dps/${number}`,
        unit: null,
        value: one,
      }));
      const whole = [
        readMessage('tuya/plug', { dps }),
        readMessage('tuya/plug/dps', dps),
        readMessage('tuya/plug/dps/state', dps),
      ];
      for (const result of whole) expect([result?.readings, result?.asks]).toEqual([[], wanted]);
      const single = Object.entries(dps).map(([number, one]) =>
        readMessage(`tuya/plug/dps/${number}/state`, String(one)),
      );
      expect(single.flatMap((one) => one?.asks ?? [])).toEqual(wanted);
      expect(readMessage('tuya/plug/command', { dps })).toBeNull();
    }),
  );
  expect(readMessage('tuya/plug', { dps: { 1: true, 9: 0, 10: 'auto' } })).toBeNull();
  const askedOf = (dps: object) => readMessage('tuya/plug/dps', dps)?.asks.map(({ native_name }) => native_name) ?? [];
  // Source: make-all/tuya-local, issue 2713 (PJ-1203A), and the dump of a plug with its calibration (tuya-mqtt).
  expect(askedOf({ 1: 1_197, 2: 38, 101: 11_963, 111: 4_996, 116: 1_000 })).toEqual(['dps/1', 'dps/2']);
  expect(askedOf({ 1: true, 17: 5, 18: 420, 19: 912, 20: 2_333, 22: 665, 23: 33_366, 24: 19_190, 25: 1_085 })).toEqual([
    'dps/17',
    'dps/19',
  ]);
});

test('reads a list of a number, its unit and its time as the number next to its unit', () => {
  const units = fc.constantFrom('kWh', 'Wh', 'W', 'kW', 'm3');
  const times = fc.option(fc.integer({ min: 1_750_000_000, max: 1_780_000_000 }), { nil: undefined });
  fc.assert(
    fc.property(units, times, fc.integer({ min: 2, max: 90_000 }), (unit, time, value) => {
      const list = readMessage('cellar/total_import', [...(time === undefined ? [] : [time]), value, unit]);
      const { readings = [], asks = [] } = readMessage('cellar/total_import', { value, unit }) ?? {};
      const ts = time === undefined ? null : new Date(time * 1_000).toISOString();
      expect(list?.readings ?? []).toEqual(readings.map((one) => ({ ...one, ts })));
      expect(list?.asks ?? []).toEqual(asks);
      for (const other of [[value, value, unit], [unit, 'W', value], [value], [[value, unit]]])
        expect(readMessage('cellar/total_import', other)?.readings ?? []).toEqual([]);
    }),
  );
});

test('reads the only list of a body, of one object, as that object with its name, and no list next to another one', () => {
  const inner = fc.dictionary(
    fc.constantFrom('total_import_kwh', 'total_export_kwh', 'active_power_w'),
    fc.integer({ min: 2, max: 9_000 }),
    { minKeys: 1 },
  );
  fc.assert(
    fc.property(fc.constantFrom('values', 'today', 'last_month', 'export', 'meterValue'), inner, (name, object) => {
      const body = { connector: 1, [name]: [object] };
      expect(readMessage('cellar/x', body)).toEqual(readMessage('cellar/x', { connector: 1, [name]: object }));
      expect(readMessage('cellar/x', { ...body, total: {} })).toBeNull();
      expect(readMessage('cellar/x', { ...body, [name]: [object, object] })).toBeNull();
    }),
  );
  // Source: OCPP 1.6, chapter 7, SampledValue.
  const values = [
    { value: '12345', measurand: 'Energy.Active.Import.Register', unit: 'Wh' },
    { value: '7200', measurand: 'Power.Active.Import', phase: 'L1', unit: 'W' },
    { value: '7100', measurand: 'Power.Active.Import', phase: 'L2', unit: 'W' },
  ];
  const body = { connectorId: 1, meterValue: [{ timestamp: '2026-11-27T19:25:10Z', sampledValue: values }] };
  const { readings = [], asks = [] } = readMessage('ocpp/CP001/MeterValues', body) ?? {};
  const found = [...readings, ...asks].map(({ value }) => value);
  expect(found.sort()).toEqual([12.345, 7_100, 7_200]);
});

test('`in` and `out` in a topic are the sides of a program, and no direction of a flow', () => {
  for (const level of ['in', 'out', 'Out'])
    for (const at of [`reader/${level}`, `openhab/${level}/meter`, `${level}/cellar`]) {
      expect(readMessage(at, { power_delivered: 421, power_delivered_w: 421 })?.readings ?? []).toEqual([]);
      expect(readMessage(at, { total_energy_kwh: 421 })?.asks).toHaveLength(1);
    }
});

test('numbers of devices with different names on one topic are those of several devices', () => {
  // jertel/vuegraf publishes all circuits on one topic.
  fc.assert(
    fc.property(fc.uniqueArray(fc.stringMatching(/^[A-Z][a-z]{2,9}-\d$/), { minLength: 2, maxLength: 5 }), (all) => {
      const devices = all.flatMap((device_name) =>
        readMessage('vuegraf/energy_usage', { account: 'x', device_name, usage_watts: 275.02 })?.readings.map(
          ({ device }) => device,
        ),
      );
      expect(new Set(devices).size).toBe(all.length);
    }),
  );
});

test('numbers of one title below numbered addresses are registers of several devices', () => {
  // jeedom/plugin-mqtt2 publishes each command on jeedom/cmd/event/{id}, and pakerfeldt/knx-mqtt on knx/{group address}.
  const body = { value: '12345', unite: 'kWh', name: 'Consommation totale' };
  // The first addresses are also OBIS codes of registers and the frequency of a radio receiver.
  for (const id of ['280', '380', '182', '433', ...fc.sample(fc.nat(9_999), 20)]) {
    const device = `jeedom/cmd/event/${id}`;
    expect(readMessage(device, body)?.readings).toMatchObject([{ device, channel: 'import', value: 12_345 }]);
  }
  // Source: fredlcore/BSB-LAN, mqtt_handler.h, publication with names.
  const heat = {
    'BSB-LAN': { device: 0, parameter: 3113, name: 'Wärmemenge gesamt', value: '12345', unit: 'kWh', error: 0 },
  };
  expect(readMessage('BSB-LAN/0/3113', heat)?.asks).toMatchObject([{ native_name: 'BSB-LAN/Wärmemenge gesamt' }]);
});

test('reads a list of objects that name themselves as an object of them, and no list that only its order explains', () => {
  const part = fc.dictionary(
    fc.constantFrom('total_import_kwh', 'total_export_kwh', 'active_power_w'),
    fc.integer({ min: 2, max: 9_000 }),
    { minKeys: 1 },
  );
  const parts = fc.dictionary(fc.constantFrom('grid', 'solar', 'output_1', '7'), part, { minKeys: 2, maxKeys: 4 });
  fc.assert(
    fc.property(parts, fc.constantFrom('Name', 'sn', 'type'), (byName, identity) => {
      const list = Object.entries(byName).map(([name, one]) => ({ [identity]: name, ...one }));
      const [asList, asObjects] = [list, byName].map((outputs) => readMessage('cellar/x', { outputs, total: {} }));
      expect(asList).toEqual(asObjects);
      expect(readMessage('cellar/x', { outputs: [...list, ...list], total: {} })).toBeNull();
    }),
  );
  // Source: production.json of Enphase, forwarded from the gateway.
  const production = [
    { type: 'inverters', wNow: 1_234, whLifetime: 12_345_678 },
    { type: 'eim', wNow: 1_230.1, whLifetime: 12_300_000 },
  ];
  const result = readMessage('envoy/production', { production, consumption: [] });
  expect(result).toMatchObject({
    readings: [{ channel: 'pv/export', value: 12_345.678 }],
    asks: [{ native_name: 'production/eim/whLifetime', value: 12_300 }],
  });
});
