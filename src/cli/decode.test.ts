import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createMessageDiagnoser } from '#ingest/gateways/diagnose-message.ts';
import type { Pool } from '#src/database/connect.ts';
import { describeDecoding, parseDecoderConfig } from './decode.ts';

const NOW = Date.UTC(2026, 6, 5, 19);

test('shows the readings of a recognised message, and what a configured time zone would add', () => {
  const payload = '{"Time":"2026-07-05T20:59:00","ENERGY":{"Total":301.004}}';
  expect(describeDecoding({ topic: 'tele/plug/SENSOR', payload }, NOW)).toBe(
    [
      'Decoded by the family tasmota:',
      '  plug  import  energy_total_kwh 301.004  at the time of receipt',
      'With this decoder_config tasmota reads more of it: {"tz":"Europe/Berlin"}',
    ].join('\n'),
  );
  expect(describeDecoding({ topic: 'tele/plug/SENSOR', payload, tz: 'Europe/Berlin' }, NOW)).toContain(
    '2026-07-05T18:59:00.000Z',
  );
  expect(describeDecoding({ topic: 'tele/plug/SENSOR', payload, retain: true }, NOW)).toContain('skipped: 1');
});

test('suggests a mapping for an unrecognised message, with which it is decoded', () => {
  const boilerMessage = {
    topic: 'boiler/7',
    payload: '{"meter": [{"InvSerial": 7, "total_kwh": 12345}], "phases": [1, 2]}',
  };
  const description = describeDecoding(boilerMessage, NOW);
  expect(description).toContain('Not recognised');
  expect(description).toContain('  $.meter[0].total_kwh  12345');
  const config = parseDecoderConfig(/--config '(.*)'/.exec(description)?.[1] ?? '');
  expect(describeDecoding({ ...boilerMessage, config }, NOW)).toContain(
    '  boiler/7  import  energy_total_kwh 12345  at the time of receipt',
  );
});

test('reads a message whose member names state register, direction and unit, and reports a register without a direction as a question', () => {
  const describe = (payload: string) => describeDecoding({ topic: 'house/x1', payload }, NOW);
  expect(describe('{"serial": 81230077, "soc": 80, "active_power_w": -412, "total_power_import_kwh": 7.5}')).toBe(
    [
      'Decoded by the family names:',
      '  house/x1/81230077  import  power_w -412  at the time of receipt',
      '  house/x1/81230077  import  energy_total_kwh 7.5  at the time of receipt',
    ].join('\n'),
  );
  expect(describe('{"serial": 81230077, "total_kwh": 7.5}')).toContain(
    'total_kwh  7.5 kWh  not counted: choose what it measures',
  );
});

test('names the topics that a bridge must have for the values of an announced device', () => {
  const announcement = {
    ...{ name: 'Total', device_class: 'energy', state_class: 'total_increasing', unit_of_measurement: 'kWh' },
    ...{ state_topic: 'SS/total', device: { identifiers: ['ss'], name: 'Meter' } },
  };
  const topic = 'homeassistant/sensor/ss/total/config';
  expect(describeDecoding({ topic, payload: JSON.stringify(announcement) }, NOW)).toContain(
    'It announces ss, which has no value yet. A bridge must have its topics: SS/total',
  );
});

test("describes what the dashboard's message tester shows: the same readings, questions and proposal", async () => {
  const nothingAnnounced = { query: async () => ({ rows: [] }) } as unknown as Pool;
  const judge = createMessageDiagnoser(nothingAnnounced);
  const topic = fc.constantFrom('boiler/7', 'house/x1', 'tuya/plug', 'heating/oil', 'water/total', 'home/gas/m3');
  const name = fc.constantFrom('total_kwh', 'total_import_kwh', 'active_power_w', 'gas_consumption_tank', 'soc', 'foo');
  const inner = fc.dictionary(name, fc.integer({ min: 2, max: 9_000 }), { minKeys: 1 });
  const body = fc.oneof(
    inner,
    fc.integer({ min: 2 }),
    inner.map((one) => ({ dps: { 17: 123 }, ...one })),
    inner.map((one) => ({ meter: [one, one] })),
  );
  const outcomes = new Set<string>();
  await fc.assert(
    fc.asyncProperty(topic, body, async (at, said) => {
      const payload = JSON.stringify(said);
      const message = { payload: Buffer.from(payload), receivedAtMs: NOW, replayed: false };
      const judged = await judge({ ...message, gatewayId: 'g', topic: at, config: {} });
      const description = describeDecoding({ topic: at, payload }, NOW);
      outcomes.add(judged.outcome);
      const values = [
        ...judged.readings.map(({ device, channel, kind, value }) => `  ${device}  ${channel}  ${kind} ${value}  `),
        ...judged.asks.map(({ device, native_name, value }) => `  ${device}  ${native_name}  ${value}`),
      ];
      for (const one of values) expect(description).toContain(one);
      expect(description.match(/at the time of receipt|not counted: choose/g) ?? []).toHaveLength(values.length);
      const proposed = judged.members.find((one) => one.proposed !== null);
      const wanted =
        judged.outcome === 'nobody' && proposed ? [{ topic: at, path: proposed.path, ...proposed.proposed }] : [];
      const [, shown = '{"mapping":[]}'] = /^For example: --config '(.*)'$/m.exec(description) ?? [];
      expect(JSON.parse(shown).mapping).toEqual(wanted);
    }),
  );
  expect([...outcomes].sort()).toEqual(['asked', 'nobody', 'read']);
});

test('suggests no mapping for a number whose name contains no unit', () => {
  expect(describeDecoding({ topic: 'boiler/7', payload: '{"InvSerial": 7, "Battery": 80}' }, NOW)).not.toContain(
    '--config',
  );
});

test('rejects a configuration that the HTTP API rejects, with the same error', () => {
  expect(() => parseDecoderConfig('{')).toThrow(/Must be JSON/);
  expect(() =>
    parseDecoderConfig('{"mapping": [{"topic": "a", "path": "$..b", "unit": "kWh", "meaning": "import"}]}'),
  ).toThrow(/mapping\.0\.path: must be a JSONPath/);
});

test("escapes control characters in a device's message", () => {
  expect(describeDecoding({ topic: 'x', payload: '{"\u001b[2J": 1}' }, NOW)).not.toContain('\u001b');
});
