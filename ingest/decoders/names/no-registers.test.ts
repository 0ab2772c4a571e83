import { expect, test } from 'vitest';
import { readMessage } from '#test/support/read-message.ts';

const shown = (topic: string, body: unknown) => {
  const { readings = [], asks = [] } = readMessage(topic, body) ?? {};
  const registers = readings.filter(({ kind }) => kind === 'energy_total_kwh');
  return [registers.map(({ channel }) => channel), asks.map(({ native_name }) => native_name)];
};

// Source: jansaris/SolisToMqtt publishes the power also in kW, with the name `powerKwh`.
test('a power in kW whose name ends with kWh never counts as a register', () => {
  for (const [power, converted] of [
    [2_140, 2.14],
    [-318, -0.318],
    [0, 0],
    [523.4, '0.523'],
  ]) {
    expect(shown('roof/inverter/data', { power, powerKwh: converted, today: 4.2, total: 812.6 })[0]).toEqual([]);
    expect(shown('roof/inverter/data', { pv_power_w: power, pv_power_kwh: converted })[0]).toEqual([]);
  }
  expect(shown('roof/inverter/data', { power: 2_140, powerKwh: 2.14, today: 4.2, total: 812.6 })).toEqual([
    [],
    ['power', 'total'],
  ]);
  expect(shown('roof/inverter/data', { pv_power: 2_140, pv_energy_kwh: 2.14 })[0]).toContain('pv/export');
  expect(shown('roof/inverter/data', { pv_power: 2_140, pv_power_kwh: 3_812.4 })[0]).toContain('pv/export');
  // Without a power, the total may be any quantity.
  expect(shown('shop/visitors', { today: 12, total: 3_812 })).toEqual([[], []]);
});

// Source: alekslt/HANToMQTT publishes the time of each register below the register's code.
test('the owner is not asked about a time', () => {
  for (const name of ['updated', 'timestamp', 'last_update', 'lastUpdate', 'updated_at', 'time', 'x'])
    for (const time of ['1795737600', '1795737600123'])
      expect([name, shown(`cellar/obis/1.1.2.8.0.255/${name}`, time)]).toEqual([name, [[], []]]);
  expect(shown('cellar/obis/1.1.2.8.0.255/updated', '42')).toEqual([[], []]);
  expect(shown('cellar/obis/1.1.2.8.0.255/value', '1234567')).toEqual([[], ['1.1.2.8.0.255']]);
  expect(shown('cellar/meter', { energy_total: 512.4, energy_total_timestamp: 1_795_737_600 })).toEqual([
    [],
    ['energy_total'],
  ]);
  expect(shown('hall/meter', { import_wh: 1_795_737_600 })[0]).toEqual(['import']);
});

// Source: m3h7/smartmeter2mqtt separates the billing period (F) of a code by an underscore.
test('values of past periods are not asked', () => {
  const body = { '1-0:2.8.0_255': '812.44', '1-0:2.8.0_97': '31.2', '1-0:2.8.0_100': '812.4', '1-0:2.8.0*01': '790.1' };
  expect(shown('cellar/meter/message', body)).toEqual([[], ['1-0:2.8.0_255']]);
  expect(shown('cellar/meter/message', { '1.8.0': '99.1', '1.8.0*02': '51.1', '1_8_1': '50.2' })).toEqual([
    [],
    ['1.8.0', '1_8_1'],
  ]);
});
