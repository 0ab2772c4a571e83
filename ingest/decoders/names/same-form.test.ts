import { expect, test } from 'vitest';
import { readMessage } from '#test/support/read-message.ts';

const asked = (topic: string, body: unknown) => {
  const result = readMessage(topic, body);
  expect(result?.readings ?? []).toEqual([]);
  return (result?.asks ?? []).map(({ native_name }) => native_name).sort();
};

// Source of the words: Echonet Lite (class of smart meters: cumulative energy in normal and reverse direction), as bridges translate them.
test('the owner is asked about the two directions of a cumulative energy', () => {
  for (const end of ['positive', 'negative', 'forward', 'reverse', 'normal']) {
    expect(asked(`Meter/Energy/Cumulative/${end}`, '4312.6')).toHaveLength(1);
    expect(asked(`home/smartmeter/cumulative/${end}`, '4312.6')).toHaveLength(1);
  }
  expect(asked('home/meter', { cumulative: { normal: 4_312.6, reverse: 12.4 } })).toEqual([
    'cumulative/normal',
    'cumulative/reverse',
  ]);
  for (const topic of ['lab/test/positive', 'car/gear/reverse', 'home/mode/normal'])
    expect([topic, asked(topic, '4312')]).toEqual([topic, []]);
});

// Source: the names of Growatt's protocol, as Growatt's cloud and its clients publish them.
test('the owner is asked alike about the totals of an inverter', () => {
  const totals = [
    'eac_total',
    'etogrid_total',
    'etouser_tot',
    'elocalload_tot',
    'eacharge_tot',
    'eself_total',
    'edischarge1_tot',
  ];
  const body = Object.fromEntries(totals.map((name, at) => [name, 1_000.5 + at]));
  expect(asked('roof/inverter/data', { ...body, etouser_tod: 2.1, elocalload_tod: 3.2 })).toEqual(totals.toSorted());
  expect(asked('roof/inverter/data', { eToGridTotal: 512.4, eLocalLoadTotal: 800.2 })).toHaveLength(2);
});

// Source: dricair/fusionsolar2mqtt.
test('numbers in an object for powers are asked as powers', () => {
  const body = { power: { production: 2_140, consumption: 310, ch_battery: 900 } };
  expect(asked('plant', { home: body })).toEqual([
    'home/power/ch_battery',
    'home/power/consumption',
    'home/power/production',
  ]);
  expect(asked('plant', { power: { total_consumption: 310, solar: 2_140 } })).toEqual(['power/total_consumption']);
});

// Source: tobiaswaelde/idm-mqtt-bridge.
test('the unit of a total also applies to a sum and to the parts of the total', () => {
  const total = [
    { name: 'Heating', value: 3_100 },
    { name: 'Hot water', value: 812 },
  ];
  const body = { data: { sumToday: '12', sumTotal: '3912', total, decimalsTotal: 2, unitTotal: 'kWh' } };
  const shown = (topic: string) => readMessage(topic, body)?.readings.map(({ channel, value }) => [channel, value]);
  // The sum counts, and its parts are ignored.
  expect(shown('pump/stats/heat')).toEqual([
    ['heat/import', 3_912],
    ['ignored/data_total_heating-6e2307', 3_100],
    ['ignored/data_total_hot_water-57a18c', 812],
  ]);
  const { readings } = readMessage('hall/meter', { meterImport: '812.5', decimalsImport: 2, unitImport: 'kWh' }) ?? {};
  expect(readings).toMatchObject([{ channel: 'import', value: 812.5 }]);
});

// Sources: bridges of the meter module PZEM-004T name its values by their symbols.
test('the owner is asked about the energy E next to the power P', () => {
  expect(asked('cellar/pzem', { V: 231.2, I: 2.1, P: 480.5, E: 812.4, F: 50, PF: 0.98 })).toEqual(['E', 'P']);
  expect(asked('cellar/pzem', { data: { U: 231.2, I: 2.1, P: 480.5, E: 812.4 } })).toEqual(['data/E', 'data/P']);
  expect(asked('cellar/pzem', { V: 231.2, I: 2.1, P: 480.5, E: 1 })).toEqual(['P']);
  expect(asked('cellar/scale', { E: 812.4, P: 3.1 })).toEqual([]);
});
