import { expect, test } from 'vitest';
import { readMessage } from '#test/support/read-message.ts';

const ask = (topic: string, body: unknown) => {
  const result = readMessage(topic, body);
  return [
    result?.readings ?? [],
    (result?.asks ?? []).map(({ native_name, unit, value }) => [native_name, unit, value]),
  ];
};

test('asks about the absolute count of a gas or water meter', () => {
  expect(ask('home/Wasserzaehler-2/counter_abs', '812.5')).toEqual([[], [['counter_abs', null, 812.5]]]);
  expect(ask('cellar/gasmeter/CountAbsolute', '5012.1')).toEqual([[], [['CountAbsolute', null, 5012.1]]]);
  expect(ask('cellar/gasmeter/absolute', '5012.1')).toEqual([[], [['absolute', null, 5012.1]]]);
  for (const on of ['cellar/gasmeter/abs_humidity', 'cellar/gasmeter/absolute_pressure', 'hall/door/CountAbs'])
    expect([on, ask(on, '512.5')]).toEqual([on, [[], []]]);
});

test('asks about a volume whose name is only its unit, if it is the only volume of its message', () => {
  expect(ask('cellar/node7/data', { litres: 81_200, rssi: -71 })).toEqual([[], [['litres', 'm³', 81.2]]]);
  expect(ask('casa/contador/json', { litros: 5_120, bateria: 88 })).toEqual([[], [['litros', 'm³', 5.12]]]);
  expect(ask('cellar/node7/data', { m3: 812.4, count: 8 })).toEqual([[], [['m3', 'm³', 812.4]]]);
  for (const [on, body] of [
    ['garden/tank/data', { liters: 812, rssi: -71 }],
    ['garden/node7/data', { liters: 812, tank_percent: 71 }],
    ['garden/rain/data', { liters: 812, rssi: -71 }],
    ['house/oil/data', { liters: 812, rssi: -71 }],
    ['garden/node7/today', { liters: 812, rssi: -71 }],
    ['garden/node7/data', { liters: 812, m3: 0.812 }],
    ['heat/node7/data', { liters: 812, power_w: 1_200 }],
  ] as const)
    expect([on, body, (ask(on, body)[1] as unknown[]).filter((one) => /^(?:liters|m3),/.test(String(one)))]).toEqual([
      on,
      body,
      [],
    ]);
});
