import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readMessage } from '#test/support/read-message.ts';

test('reads a unit in words or behind a small letter as what it is, and none with another prefix', () => {
  const names = fc.constantFrom('total_import', 'Import Total', 'importActive');
  const units = fc.constantFrom<[string, 'energy_total_kwh' | 'power_w' | null, number]>(
    ['watt_hours', 'energy_total_kwh', 0.001],
    ['WattHours', 'energy_total_kwh', 0.001],
    ['KiloWattHours', 'energy_total_kwh', 1],
    ['kilo watt hours', 'energy_total_kwh', 1],
    ['MegaWattHours', 'energy_total_kwh', 1_000],
    ['KiloWatt', 'power_w', 1_000],
    ['kilo_watts', 'power_w', 1_000],
    ['DeciWatt', null, 0],
    ['MilliWattHours', null, 0],
    ['mW', null, 0],
  );
  fc.assert(
    fc.property(names, units, fc.constantFrom('_', ' ', ''), (name, [unit, kind, times], between) => {
      // Without a separator, the test uses only units that begin with a capital, because only these are certainly separate words.
      if (between === '' && !/^[A-Z]/.test(unit)) return;
      const result = readMessage('home/x', { [`${name}${between}${unit}`]: 4_000 });
      expect((result?.readings ?? []).map((one) => [one.kind, one.value])).toEqual(
        kind === null ? [] : [[kind, 4_000 * times]],
      );
    }),
  );
  expect(readMessage('TWC/0123/lifetimekWh', '159')?.asks).toMatchObject([{ value: 159, unit: 'kWh' }]);
  fc.assert(
    fc.property(fc.constantFrom('import', 'imported', 'export', 'exported'), fc.boolean(), (name, isTopic) => {
      const [at, body] = isTopic ? [`cellar/${name}kwh`, '4000'] : ['cellar', { [`${name}kwh`]: 4_000, today_kwh: 3 }];
      const counted = (readMessage(at, body)?.readings ?? []).filter(({ channel }) => !channel.includes('ignored/'));
      expect(counted).toMatchObject([{ channel: name.replace('ed', ''), value: 4_000 }]);
      for (const other of ['price', 'eur', 'today', 'per'])
        expect(readMessage('cellar', { [`${other}kwh`]: 4_000 })?.readings ?? []).toEqual([]);
    }),
  );
});

test('reads a unit next to the number in one text, and in lists of name=value', () => {
  expect(readMessage('openhab/Meter_Import/state', '12345.6 kWh')?.readings).toMatchObject([
    { channel: 'import', value: 12_345.6 },
  ]);
  expect(readMessage('meter/x', { energy_import: '145,57 kWh' })?.readings).toMatchObject([{ value: 145.57 }]);
  expect(
    readMessage('meter/x', { energy_supply_export: 2_345.5, energy_supply_exportunit: 'Wh' })?.readings,
  ).toMatchObject([{ channel: 'export', value: 2.3455 }]);
  const nibe = { register: '44308', titel: 'Heat Meter - Heat', unit: 'kWh', min: '0', max: '9999', data: 12_345.6 };
  expect(readMessage('nibe/modbus/44308/json', nibe)?.readings).toMatchObject([
    { channel: 'heat/import', value: 12_345.6 },
  ]);
  // The comma may separate thousands, so the number is ambiguous.
  expect(readMessage('meter/x', { energy_import: '1,234 kWh' })?.readings ?? []).toEqual([]);
  expect(readMessage('meter/x', 't1=25.00 C&import=4567 kWh')?.readings).toMatchObject([
    { channel: 'import', value: 4_567 },
  ]);
  expect(readMessage('house/grid_imp_kwh', '7')?.readings).toMatchObject([{ channel: 'import' }]);
  expect(readMessage('house/x', { 'Constant (imp/kWh)': 1_000 })).toBeNull();
});

test('reads a decimal comma, and refuses a comma that may separate thousands', () => {
  const decimal = fc
    .tuple(fc.integer({ min: 0, max: 9_999_999 }), fc.integer({ min: 0, max: 999_999 }), fc.integer({ min: 1, max: 6 }))
    .map(([whole, fraction, digits]) => [`${whole}`, `${fraction}`.padStart(6, '0').slice(0, digits)] as const);
  fc.assert(
    fc.property(decimal, ([whole, fraction]) => {
      const text = `${whole},${fraction}`;
      const isAmbiguous = whole.length <= 3 && whole !== '0' && fraction.length === 3;
      const value = Number(`${whole}.${fraction}`);
      for (const one of [
        readMessage('devi/state/10213154/import_total_kwh', text),
        readMessage('cellar', { import_total_kwh: text }),
        readMessage('cellar', { energy_import: `${text} kWh` }),
        readMessage('cellar/import', { value: text, unit: 'kWh' }),
      ])
        expect([text, one?.readings.map((reading) => reading.value) ?? []]).toEqual([text, isAmbiguous ? [] : [value]]);
    }),
  );
  expect(readMessage('devi/state/10213154/import_total_kwh', '1,234')?.refused).toHaveLength(1);
  for (const text of ['1.234,5', '1,234,567', '1,234.5', '12,5,3'])
    expect(readMessage('cellar', { import_total_kwh: text })?.readings ?? []).toEqual([]);
});

test('takes a level of a topic that is a unit as the unit of its number', () => {
  const before = fc.constantFrom('meter/import', 'meter/export', 'meter/power', 'meter/total', 'cellar/meter', 'meter');
  const unit = fc.constantFrom<[string, 'W' | 'kWh', number]>(
    ...([
      ['kWh', 'kWh', 1],
      ['Wh', 'kWh', 0.001],
      ['W', 'W', 1],
      ['kW', 'W', 1_000],
      ['watts', 'W', 1],
    ] as [string, 'W' | 'kWh', number][]),
  );
  fc.assert(
    fc.property(before, unit, fc.constantFrom('', '/state', '/value'), (at, [written, of, times], end) => {
      const result = readMessage(`${at}/${written}${end}`, '4000');
      const numbers = [...(result?.asks ?? []), ...(result?.readings ?? [])];
      expect(numbers.map(({ value }) => value)).toEqual([4_000 * times]);
      for (const one of result?.asks ?? []) expect(one.unit).toBe(of);
      for (const one of result?.readings ?? []) expect(at).toContain(one.channel);
    }),
  );
  expect(readMessage('gas/total/m3', '812.4')?.readings).toMatchObject([{ kind: 'volume_total_m3', value: 812.4 }]);
  expect(readMessage('heating/temperature/C', '21.5')?.readings).toMatchObject([
    { kind: 'temperature_c', value: 21.5 },
  ]);
  for (const at of ['meter/daily/W', 'phase/C', 'cellar/m3', 'water/price/m3', 'water/today/m3'])
    expect(readMessage(at, '4000')?.readings ?? []).toEqual([]);
});

test('a unit in words before a capital is the unit of the whole name', () => {
  const units = fc.constantFrom<[string, string, number]>(
    ['wattHours', 'energy_total_kwh', 0.001],
    ['kiloWattHours', 'energy_total_kwh', 1],
    ['megaWattHours', 'energy_total_kwh', 1_000],
  );
  fc.assert(
    fc.property(units, fc.constantFrom('Lifetime', 'Total', 'Sum'), ([unit, kind, times], total) => {
      // Enphase's gateways publish wattHoursLifetime next to wattHoursToday and wattsNow.
      const body = { [`${unit}${total}Import`]: 4_000, [`${unit}Today`]: 3, [`${unit}SevenDays`]: 30 };
      const counted = (readMessage('home/x', body)?.readings ?? []).filter(
        ({ channel }) => !channel.includes('ignored/'),
      );
      expect(counted.map((one) => [one.kind, one.value])).toEqual([[kind, 4_000 * times]]);
      expect(readMessage('home/x', body)?.asks).toEqual([]);
    }),
  );
});

test('never counts a unit alone, whatever the topic names', () => {
  for (const level of ['pv', 'solar', 'inverter', 'battery', 'meter', 'plug1'])
    for (const unit of ['kwh', 'wh', 'KWH']) {
      expect([level, readMessage(`${level}/${unit}`, '12.5')?.readings]).toEqual([level, []]);
      if (level !== 'plug1')
        expect([level, readMessage(`${level}/x`, { [unit]: 12.5 })?.readings]).toEqual([level, []]);
    }
});

test('joules of a register are heat, whatever it is called, and millijoules are no unit', () => {
  const names = fc.constantFrom('total_energy', 'heat_energy', 'energy total', 'consumption');
  const units = fc.constantFrom<[string, number]>(['GJ', 1_000], ['MJ', 1]);
  fc.assert(
    fc.property(names, units, fc.integer({ min: 1, max: 900 }), (name, [unit, times], value) => {
      const [one, ...others] = readMessage('cellar/x', { [`${name} (${unit})`]: value })?.readings ?? [];
      expect([one?.channel, Number(one?.value).toFixed(6), others]).toEqual([
        'heat/import',
        ((value * times) / 3.6).toFixed(6),
        [],
      ]);
      expect(readMessage('cellar/x', { [`${name} (mJ)`]: value })?.readings ?? []).toEqual([]);
    }),
  );
});

test('reads a number and its unit in any spelling of their names, and a number alone by the topic', () => {
  const spelt = (name: string) => [name, name.toUpperCase(), `${name[0]?.toUpperCase()}${name.slice(1)}`];
  const value = fc
    .constantFrom('value', 'val', 'payload', 'reading', 'Wert', 'valeur')
    .chain((name) => fc.constantFrom(...spelt(name)));
  // Members that state the unit: `unite` (jeedom/plugin-mqtt2), `unit_of_measurement` (Home Assistant).
  const unit = fc
    .constantFrom('unit', 'unite', 'Einheit', 'unit_of_measurement', 'uom')
    .chain((name) => fc.constantFrom(...spelt(name)));
  const notes = fc.constantFrom(
    {},
    { ts: 1_764_331_200_000, ack: true, q: 0, from: 'a', lc: 5 },
    { _msgid: 'a', qos: 0 },
  );
  fc.assert(
    fc.property(value, unit, notes, fc.integer({ min: 2, max: 90_000 }), (one, other, more, number) => {
      const stated = readMessage('cellar/total_import', { ...more, [one]: number, [other]: 'kWh' });
      expect(stated?.readings).toMatchObject([{ device: 'cellar', channel: 'import', value: number }]);
      expect(readMessage('cellar/total_import', { ...more, [one]: number })?.asks).toMatchObject([
        { value: number, unit: null },
      ]);
      const nested = readMessage('cellar/x', { total_import: { [one]: number, [other]: 'kWh' } });
      expect(nested?.readings).toMatchObject([{ device: 'cellar/x', channel: 'import', value: number }]);
    }),
  );
});

test('reads a number with its unit as meters print it, and a list of meters that state their names', () => {
  // A text as in IEC 62056-21 (eBZ DD3), and a list that states the name of each meter in `meter_name`.
  expect(readMessage('ebz/1-0:1.8.0*255', '000002.66313813*kWh')?.readings).toMatchObject([
    { channel: 'import', value: 2.66313813 },
  ]);
  const data = [
    { meter_name: 'HOOFDTELLER_AFNAME_KWH', value: 912_331.4 },
    { meter_name: 'HOOFDTELLER_INJECTIE_KWH', value: 20_111.8 },
  ];
  expect(readMessage('telemetry/x/default', { timestamp: 1_700_000_100_000, data })?.asks).toMatchObject([
    { native_name: 'data/HOOFDTELLER_AFNAME_KWH', value: 912_331.4 },
    { native_name: 'data/HOOFDTELLER_INJECTIE_KWH', value: 20_111.8 },
  ]);
});

test('reads the unit that a sibling states for a number, for its last word, or for the only number', () => {
  const units = fc.constantFrom<['kWh' | 'Wh', number]>(['kWh', 1], ['Wh', 0.001]);
  fc.assert(
    fc.property(units, fc.boolean(), ([unit, times], isText) => {
      const number = isText ? '4000' : 4_000;
      const wanted = [{ channel: 'import', value: 4_000 * times }];
      for (const name of ['import_energyunit', 'import_energy_unit', 'import_energyUnit', 'energy_unit', 'import_unit'])
        expect(readMessage('cellar/x', { import_energy: number, other: 5, [name]: unit })?.readings).toMatchObject(
          wanted,
        );
      expect(readMessage('cellar/x', { import_energy: number, type: 1, unit })?.readings).toMatchObject(wanted);
      expect(readMessage('cellar/x', { import_energy: number, other: 5, unit })?.readings).toEqual([]);
    }),
  );
  // Source: tomquist/solix2mqtt (scenInfo).
  const statistics = [
    { type: '1', total: '89.75', unit: 'kwh' },
    { type: '2', total: '89.48', unit: 'kg' },
    { type: '3', total: '35.90', unit: '€' },
  ];
  expect(readMessage('solix/site', { statistics })?.asks).toMatchObject([{ native_name: 'statistics', value: 89.75 }]);
  expect(readMessage('solix/site', { statistics: [...statistics, ...statistics] })).toBeNull();
});

test('reads a unit before a capital with its prefix: kWhL2, KWhTotal, MWhImport', () => {
  const units = fc.constantFrom<[string, number]>(['Wh', 0.001], ['kWh', 1], ['KWh', 1], ['MWh', 1_000]);
  const before = fc.constantFrom('import', 'activeImport', 'Import', 'total_import_', 'importTotal');
  const after = fc.constantFrom('L1', 'L2', 'T1', 'Total', 'Register', 'Sum');
  fc.assert(
    fc.property(units, before, after, fc.boolean(), ([unit, times], start, end, isTopic) => {
      const name = `${start}${unit}${end}`;
      const result = isTopic ? readMessage(`meter/${name}`, '4000') : readMessage('meter', { [name]: 4_000 });
      const numbers = [...(result?.asks ?? []), ...(result?.readings ?? [])].map(({ value }) => value);
      expect([name, numbers]).toEqual([name, [4_000 * times]]);
    }),
  );
  // A small m means milli.
  expect(readMessage('meter', { importmWhTotal: 4_000, mWhImport: 4_000 })?.readings ?? []).toEqual([]);
});

// Sources: Arno-v/P1Meter2Mqtt (`thermal_gj`), markcudok/kamstrup-mqtt (`gj`).
test('reads a topic that ends with gigajoules as a heat register, and asks about one that names only the unit', () => {
  const before = fc.constantFrom('sensors/power/p1meter', 'cellar', 'home/kamstrup');
  const name = fc.constantFrom('thermal_', 'heat', 'total energy ', 'consumption_', 'Warmte-');
  fc.assert(
    fc.property(before, name, fc.boolean(), fc.integer({ min: 2, max: 900 }), (at, start, isLower, value) => {
      const unit = isLower && !/[a-z]$/.test(start) ? 'gj' : 'GJ';
      const [one, ...others] = readMessage(`${at}/${start}${unit}`, `${value}`)?.readings ?? [];
      expect(one).toMatchObject({ device: at, channel: 'heat/import' });
      expect(Number(one?.value).toFixed(6)).toBe((value / 0.0036).toFixed(6));
      expect(others).toEqual([]);
      const bare = readMessage(`${at}/${unit}`, `${value}`);
      expect([bare?.readings, bare?.asks.length]).toEqual([[], 1]);
      for (const other of ['today_', 'price_', 'eur_per_', 'max_'])
        expect(readMessage(`${at}/${other}gj`, `${value}`)?.readings ?? []).toEqual([]);
    }),
  );
});

// Source: SDM630-to-CSV-and-MQTT, whose topics are the titles of Eastron's manual with their footnotes.
test('reads a topic with a unit and a direction whatever its punctuation and numbering, and asks since a reset', () => {
  const form = fc.constantFrom<(text: string) => string>(
    (text) => `${text} (2).`,
    (text) => `${text}.`,
    (text) => `${text} [2]`,
    (text) => `${text}:`,
    (text) => `${text}, 2`,
  );
  const units = fc.constantFrom<[string, number]>(['Wh', 0.001], ['kWh', 1]);
  const reset = fc.constantFrom('since last reset', 'since reset', 'since the last reset');
  fc.assert(
    fc.property(fc.constantFrom('Import', 'Export'), units, form, reset, (way, [unit, times], write, since) => {
      const value = 4_000 * times;
      expect(readMessage(`sdm630/${write(`${way} ${unit}`)}`, '4000')?.readings).toMatchObject([
        { device: 'sdm630', channel: way.toLowerCase(), value },
      ]);
      const doubtful = readMessage(`sdm630/${write(`${way} ${unit} ${since}`)}`, '4000');
      expect([doubtful?.readings, doubtful?.asks.map((one) => one.value)]).toEqual([[], [value]]);
      for (const period of ['today', 'since midnight', 'this month', 'price'])
        expect(readMessage(`sdm630/${write(`${way} ${unit} ${period}`)}`, '4000')?.readings ?? []).toEqual([]);
    }),
  );
});
