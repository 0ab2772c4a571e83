import { expect, test } from 'vitest';
import { readMessage } from '#test/support/read-message.ts';

const shown = (topic: string, body: unknown) => {
  const { readings = [], asks = [] } = readMessage(topic, body) ?? {};
  const registers = readings.filter(({ kind }) => kind === 'energy_total_kwh');
  return [registers.map(({ channel }) => channel), asks.map(({ native_name }) => native_name)];
};

// Source: m3h7/smartmeter2mqtt separates the billing period (F) of a code by an underscore.
test('values of past periods are not asked', () => {
  const body = { '1-0:2.8.0_255': '812.44', '1-0:2.8.0_97': '31.2', '1-0:2.8.0_100': '812.4', '1-0:2.8.0*01': '790.1' };
  expect(shown('cellar/meter/message', body)).toEqual([[], ['1-0:2.8.0_255']]);
  expect(shown('cellar/meter/message', { '1.8.0': '99.1', '1.8.0*02': '51.1', '1_8_1': '50.2' })).toEqual([
    [],
    ['1.8.0', '1_8_1'],
  ]);
});
