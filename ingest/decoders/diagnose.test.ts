import { expect, test } from 'vitest';
import { compileJsonPath } from '#src/core/json-path.ts';
import { diagnoseMessage } from './diagnose.ts';
import { parseDecoderSettings } from './family.ts';
import { getPayloadMembers } from './members.ts';

const RECEIVED = Date.UTC(2026, 6, 5, 19);
const judged = (topic: string, payload: unknown, config: unknown = {}, replayed = false) =>
  diagnoseMessage(
    {
      topic,
      payload: Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload)),
      receivedAtMs: RECEIVED,
      replayed,
    },
    parseDecoderSettings(config),
  );

test('reports the readings of a family, with its topic below a gateway', () => {
  const body = { Time: '2026-07-05T21:00:00', ENERGY: { Total: 301.004 } };
  expect(judged('gw/gwy_1/tele/plug/SENSOR', body)).toMatchObject({
    outcome: 'read',
    topic: 'tele/plug/SENSOR',
    family: 'tasmota',
    readings: [{ device: 'plug', channel: 'import', value: 301.004, ts: null }],
    // The message contains local time, and the owner has not set a time zone.
    would: [{ family: 'tasmota', decoder_config: { tz: 'Europe/Berlin' } }],
  });
  expect(judged('tele/plug/SENSOR', body, { tz: 'Europe/Berlin' }).would).toEqual([]);
});

test('reports questions to the owner, and the setting that answers them if the name has a unit', () => {
  const answer = (name: string) => {
    const { outcome, asks, would } = judged('tele/cellar/SENSOR', { SML: { [name]: 17 } });
    expect({ outcome, asks }).toMatchObject({ outcome: 'asked', asks: [{ device: 'cellar' }] });
    return would;
  };
  expect(answer('Wert_A')).toEqual([]);
  expect(answer('Wert_Wh')).toEqual([
    { family: 'tasmota', decoder_config: { tasmota: { 'SML.Wert_Wh': { counts_as: 'import', unit: 'Wh' } } } },
  ]);
});

test('refuses a meter without a unit, and reads it once the unit is set', () => {
  const { outcome, would } = judged('rtlamr/12345678', {
    Time: '2026-07-05T14:59:58-04:00',
    Type: 'SCM',
    Message: { ID: 12345678, Type: 7, Consumption: 2528113 },
  });
  expect({ outcome, would }).toMatchObject({
    outcome: 'refused',
    would: [{ family: 'rtlamr', decoder_config: { meter: { 12345678: { unit: 'kWh' } } } }],
  });
});

test('asks for the scale of a temperature without one', () => {
  const { outcome, would } = judged('zwave/12/49/0/Air_temperature', { value: 21.4 });
  expect({ outcome, would }).toEqual({
    outcome: 'nothing',
    would: [{ family: 'zwavejs', decoder_config: { zwavejs: { temperature_unit: 'C' } } }],
  });
});

test('proposes a topic setting for a SenML pack on an unrecognised topic', () => {
  const { outcome, would } = judged('my/pack', [{ n: 'meter/energy', u: 'kWh', v: 5 }]);
  expect({ outcome, would }).toEqual({
    outcome: 'nobody',
    would: [{ family: 'senml', decoder_config: { senml: { topics: ['my/pack'] } } }],
  });
});

test('reports an unrecognised message with the members that a mapping can name', () => {
  expect(
    judged('boiler/1', { at: '2026-07-05T18:59:00Z', meter: [{ 'total kWh': '12.5', ok: true }, {}], n: null }),
  ).toEqual({
    outcome: 'nobody',
    topic: 'boiler/1',
    family: null,
    readings: [],
    asks: [],
    refused: [],
    left_out: 0,
    would: [],
    members: [
      { path: '$.at', value: '2026-07-05T18:59:00Z', may_be_time: true, proposed: null },
      {
        path: '$.meter[0]["total kWh"]',
        value: '12.5',
        may_be_time: false,
        proposed: { unit: 'kWh', meaning: 'import' },
      },
    ],
  });
});

test('skips retained values without a time of their own', () => {
  const judgement = judged('tele/plug/SENSOR', { ENERGY: { Total: 1 } }, {}, true);
  expect(judgement).toMatchObject({ outcome: 'nothing', family: 'tasmota', left_out: 1 });
});

test('reads native messages of a device with its own login, and none below a gateway', () => {
  const [topic, body] = ['energy/v1/dev_1/readings', { energy_total_kwh: 5 }];
  expect(judged(topic, body)).toMatchObject({ outcome: 'read', family: 'native' });
  expect(judged(`gw/gwy_1/${topic}`, body)).toMatchObject({ outcome: 'nobody', family: null });
});

test('counts a native channel of unknown meaning once the owner has stated it', () => {
  const judgement = judged('energy/v1/dev_1/readings', { channel: 'feed_in', energy_total_kwh: 5 });
  expect(judgement).toMatchObject({
    outcome: 'asked',
    readings: [],
    asks: [{ device: 'dev_1', native_name: 'feed_in energy_total_kwh', unit: 'kWh', value: 5 }],
  });
});

test.each(['', 'Online', '{', '\u0000', '[[[[', '"x"', 'null', '[]'])(
  'recognises no family in %j, without a crash',
  (payload) => {
    expect(judged('x/y', payload)).toMatchObject({ outcome: 'nobody', members: [] });
  },
);

test('returns a path that leads to each member, whatever its name, except for control characters', () => {
  const names = ['a', 'a b', "it's", '"quoted"', 'back\\slash', '', '0', 'ü', '\u0001', '$', 'a.b', 'x]'];
  const body = Object.fromEntries(names.map((name, index) => [name, [{ [name]: index }]]));
  const read = JSON.parse(JSON.stringify(body));
  const members = getPayloadMembers(Buffer.from(JSON.stringify(body)));
  expect(members).toHaveLength(names.length - 1);
  for (const { path, value } of members) expect(compileJsonPath(path ?? '')?.(read)).toBe(value);
});

test('shortens an excessively long message', () => {
  const wide = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`m${index}`, index]));
  expect(getPayloadMembers(Buffer.from(JSON.stringify(wide)))).toHaveLength(200);
  expect(getPayloadMembers(Buffer.from(`${'['.repeat(20_000)}1${']'.repeat(20_000)}`))).toEqual([]);
});
