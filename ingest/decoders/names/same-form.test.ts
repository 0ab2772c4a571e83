import { expect, test } from 'vitest';
import { readMessage } from '#test/support/read-message.ts';

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
