import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readMessage } from '#test/support/read-message.ts';

const Timestamp = '2026-11-27T06:10:03Z';
const recordOf = (Unit: string, Value: unknown, more = {}) => ({
  Function: 'Instantaneous value',
  StorageNumber: '0',
  Unit,
  Value,
  Timestamp,
  ...more,
});
const frameOf = (Medium: string, ...DataRecord: unknown[]) => ({
  MBusData: { SlaveInformation: { Id: '61537968', Manufacturer: 'KAM', Medium, Status: '10' }, DataRecord },
});
const countedOf = (body: unknown) =>
  (readMessage('cellar/bus', body)?.readings ?? []).flatMap(({ device, channel, value, ts }) =>
    channel.startsWith('ignored/') ? [] : [[device, channel, value, ts]],
  );
const counted = (channel: string, value: number) => [
  'cellar/bus/61537968',
  channel,
  expect.closeTo(value, 6),
  '2026-11-27T06:10:03.000Z',
];

// Source: rscada/libmbus @ f09d613, mbus/mbus-protocol.c (media, units and their prefixes), test/test-frames (frames of meters).
test('reads the present registers of a frame of libmbus in every unit, by the medium', () => {
  const energy = fc.constantFrom<[string, number]>(
    ['Energy (kWh)', 1],
    ['Energy (Wh)', 0.001],
    ['Energy (mWh)', 0.000_001],
    ['Energy (10 Wh)', 0.01],
    ['Energy (10 kWh)', 10],
    ['Energy (0.1 MWh)', 100],
    ['Energy (MJ)', 1 / 3.6],
    ['Energy (100 kJ)', 1 / 36],
  );
  const volume = fc.constantFrom<[string, number]>(
    ['Volume (1e-2  m^3)', 0.01],
    ['Volume (m m^3)', 0.001],
    ['Volume (my m^3)', 0.000_001],
    ['Volume ( m^3)', 1],
  );
  const medium = fc.constantFrom<[string, string]>(
    ['Gas', 'gas/m3'],
    ['Water', 'water/m3'],
    ['Warm water (30-90°C)', 'water/m3'],
  );
  fc.assert(
    fc.property(energy, volume, medium, fc.integer({ min: 2, max: 999_999 }), (heat, flow, [of, channel], n) => {
      const past = recordOf(heat[0], n - 1, { StorageNumber: '1' });
      const most = recordOf(heat[0], n + 1, { Function: 'Maximum value' });
      const input = recordOf(flow[0], n + 2, { Tariff: '0', Device: '1' });
      const records = [recordOf('On time (hours)', '61233'), recordOf(heat[0], `${n}`), past, most];
      for (const heated of ['Heat: Outlet', 'Heat: Inlet', 'Heat / Cooling load meter'])
        expect(countedOf(frameOf(heated, ...records))).toEqual([counted('heat/import', n * heat[1])]);
      expect(countedOf(frameOf(of, input, recordOf(flow[0], n)))).toEqual([counted(channel, n * flow[1])]);
    }),
  );
  // In the normalised format, the quantity has a member of its own.
  const normalised = recordOf('Wh', '37351000.000000', { Quantity: 'Energy' });
  expect(countedOf(frameOf('Heat: Outlet', normalised))).toEqual([counted('heat/import', 37_351)]);
});

test('asks about electricity, whose direction libmbus omits, about several records of one quantity, and about tariffs', () => {
  const asksOf = (body: unknown) => readMessage('cellar/bus', body)?.asks.map(({ value, unit }) => [value, unit]);
  const frames = [
    frameOf('Electricity', recordOf('Energy (10 Wh)', '1250')),
    frameOf(
      'Electricity',
      recordOf('Energy (Wh)', '12520', { Tariff: '1' }),
      recordOf('Energy (Wh)', 0, { Tariff: '2' }),
    ),
    frameOf('Heat: Outlet', recordOf('Energy (kWh)', '100'), recordOf('Energy (kWh)', '200')),
    frameOf('Gas', recordOf('Volume (m m^3)', '2600'), recordOf('Volume (m m^3)', '5200')),
    frameOf(
      'Gas',
      recordOf('Volume (m m^3)', '2600', { Tariff: '1' }),
      recordOf('Volume (m m^3)', '5200', { Tariff: '2' }),
    ),
  ];
  expect(frames.map(countedOf)).toEqual(frames.map(() => []));
  expect(frames.map(asksOf)).toEqual([
    [[12.5, 'kWh']],
    [
      [12.52, 'kWh'],
      [0, 'kWh'],
    ],
    [
      [100, 'kWh'],
      [200, 'kWh'],
    ],
    [
      [2.6, null],
      [5.2, null],
    ],
    [
      [2.6, null],
      [5.2, null],
    ],
  ]);
});
