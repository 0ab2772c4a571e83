import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readMessage } from '#test/support/read-message.ts';

const energyUnit = fc.constantFrom<[string, number]>(['kWh', 1], ['Wh', 0.001], ['MWh', 1_000]);
/** Readings and questions of a message, with the unit in which the value of each is. */
const numbersOf = (result: ReturnType<typeof readMessage>) => [
  ...(result?.asks ?? []).map(({ value, unit }) => [value, unit]),
  ...(result?.readings ?? []).map(({ value, kind }) => [value, kind === 'power_w' ? 'W' : kind]),
];

// Source: homected/CurrentCost2Mqtt, which publishes the states of Home Assistant's entities.
test('a numeric state next to a unit is a value, and a state without a unit or a number is none', () => {
  const unitName = fc.constantFrom('unit', 'unit_of_measurement', 'Einheit', 'uom');
  const stateName = fc.constantFrom('state', 'State');
  const topic = fc.constantFrom('home/x/Power/Total/Ch1', 'cellar/total', 'home/CurrentCost/Power/Total/Ch1');
  fc.assert(
    fc.property(
      topic,
      stateName,
      unitName,
      fc.integer({ min: 2, max: 9_000 }),
      fc.boolean(),
      (at, name, unit, n, isText) => {
        const state = isText ? `${n}` : n;
        expect(numbersOf(readMessage(at, { [name]: state, [unit]: 'W' }))).toEqual([[n, 'W']]);
        expect(readMessage(at, { [name]: state, [unit]: '%' })?.readings ?? []).toEqual([]);
        for (const other of ['ON', 'unavailable', '', true, null])
          expect(readMessage(at, { [name]: other, [unit]: 'W' })).toBeNull();
      },
    ),
  );
  // A value takes precedence over a state.
  expect(numbersOf(readMessage('cellar/x', { state: 1, value: 12, unit: 'W' }))).toEqual([[12, 'W']]);
});

// Source: womat/s0counter, `{Counter, UnitCounter, Gauge, UnitGauge}`.
test('a member that is "unit" and the name of another in any spelling states the unit of the other', () => {
  const name = fc.constantFrom('Counter', 'Import', 'totalImport', 'energy_import', 'meter reading');
  const spelling = fc.constantFrom<(name: string) => string>(
    (of) => `Unit${of}`,
    (of) => `unit_${of}`,
    (of) => `UNIT_${of.toUpperCase()}`,
    (of) => `unit${of.replaceAll(/[_ ]/g, '')}`,
    (of) => `${of}Unit`,
    (of) => `${of}_unit`,
    (of) => `${of} unit`,
  );
  fc.assert(
    fc.property(name, spelling, energyUnit, (one, spell, [unit, times]) => {
      const body = { [one]: 4_000, [spell(one)]: unit, Gauge: 3.5, UnitGauge: 'l/h' };
      const numbers = numbersOf(readMessage('cellar/summary', body));
      expect([one, spell(one), numbers]).toEqual([one, spell(one), [[4_000 * times, expect.stringMatching(/kwh/i)]]]);
      const other = readMessage('cellar/summary', { ...body, [spell(one)]: 'A' });
      expect(other?.readings ?? []).toEqual([]);
    }),
  );
});

test('asks about a register whose message states a unit of volume and no commodity', () => {
  const name = fc.constantFrom('Counter', 'total', 'Zählerstand', 'meter_reading', 'index');
  const unit = fc.constantFrom<[string, number]>(['m³', 1], ['m3', 1], ['l', 0.001], ['L', 0.001]);
  fc.assert(
    fc.property(name, unit, (one, [written, times]) => {
      const result = readMessage('test/portablewater/summary', { [one]: 4_000, [`Unit${one}`]: written });
      expect(result?.readings).toEqual([]);
      expect(result?.asks).toMatchObject([{ value: 4_000 * times, unit: 'm³' }]);
      // If a word states the commodity, the register counts.
      const water = readMessage('test/water/summary', { [one]: 4_000, [`Unit${one}`]: written });
      expect(water?.readings).toMatchObject([{ channel: 'water/m3', value: 4_000 * times }]);
      expect(readMessage('test/oil tank/summary', { [one]: 4_000, [`Unit${one}`]: written })).toBeNull();
    }),
  );
});

// Source: Josverl/micropython-p1meter. A message contains only the lines that have changed.
test('reads a list of meters by their names, wherever they are in the list, and leaves texts out', () => {
  const lines = [
    { name: 'total/consumption_low_tariff_kWh', reading: '004521.367', unit: 'kWh', channel: 'import/t1' },
    { name: 'total/production_high_tariff_kWh', reading: '001933.120', unit: 'kWh', channel: 'export/t2' },
    { name: 'date_time', reading: '220306142010W', unit: null },
    { name: 'instant/voltage/l1_V', reading: '231.0', unit: 'V' },
  ];
  const meterName = fc.constantFrom('meter', 'name', 'label');
  const numberName = fc.constantFrom('reading', 'value');
  fc.assert(
    fc.property(fc.shuffledSubarray(lines, { minLength: 1 }), meterName, numberName, (some, named, valued) => {
      const list = some.map(({ name, reading, unit }) => ({ [named]: name, [valued]: reading, unit }));
      const counted = (readMessage('p1_meter/json', list)?.readings ?? []).map(({ channel, value }) => [
        channel,
        value,
      ]);
      const wanted = some.flatMap(({ channel, reading }) => (channel ? [[channel, Number(reading)]] : []));
      expect(counted.sort()).toEqual(wanted.sort());
    }),
  );
  // The number of a meter states no quantity.
  const ofNumbers = [
    { meter: 17, reading: 7, unit: 'kWh' },
    { meter: 18, reading: 8, unit: 'kWh' },
  ];
  expect(readMessage('meters/json', ofNumbers)?.readings ?? []).toEqual([]);
});
