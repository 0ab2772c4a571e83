import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { describeMessage } from '../describe.ts';
import { getPayloadMembers } from '../members.ts';
import { namesFamily } from './decode.ts';

const read = (topic: string, body: unknown) =>
  describeMessage(
    {
      topic,
      payload: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
      receivedAtMs: Date.UTC(2026, 10, 27),
      replayed: false,
    },
    {},
    [],
  );

/**
 * Words of generated names, with the meaning of each word. The meanings are written here again, so that the test does not depend on the
 * code under test.
 */
const WORDS = {
  ...{ total: 'plain', energy: 'plain', power: 'plain', active: 'plain', cumulative: 'plain' },
  ...{ import: 'import', imported: 'import', bought: 'import', export: 'export', sold: 'export', exported: 'export' },
  ...{
    today: 'never',
    daily: 'never',
    month: 'never',
    reactive: 'never',
    apparent: 'never',
    price: 'never',
    yesterday: 'never',
  },
  ...{ battery: 'unclear', soc: 'unclear', foo: 'unclear', serial: 'unclear', qux: 'unclear' },
} as const;
type Word = keyof typeof WORDS;
const word = fc.constantFrom(...(Object.keys(WORDS) as Word[]));
const style = fc.constantFrom(
  (all: readonly string[]) => all.join('_'),
  (all: readonly string[]) => all.join('-'),
  (all: readonly string[]) => all.join(' '),
  ([first = '', ...rest]: readonly string[]) =>
    first + rest.map((one) => one[0]?.toUpperCase() + one.slice(1)).join(''),
);
/** Units at the end of generated names, with their kind and factor; null if the ending is not a unit of energy or power. */
const UNITS: Record<string, readonly ['energy_total_kwh' | 'power_w', number] | null> = {
  ...{
    kWh: ['energy_total_kwh', 1],
    kwh: ['energy_total_kwh', 1],
    Wh: ['energy_total_kwh', 0.001],
    MWh: ['energy_total_kwh', 1_000],
  },
  ...{ W: ['power_w', 1], w: ['power_w', 1], kW: ['power_w', 1_000], watts: ['power_w', 1] },
  ...{ V: null, a: null, pct: null, kvarh: null, VA: null, sn: null, s: null, count: null, mwh: null, '': null },
};
const topic = fc.constantFrom('home/x1', 'cellar', 'a/b/c', 'solar/x', 'deye/inverter', 'meter/main', 'home/plug1');
const register = fc.record({
  all: fc.array(word, { minLength: 1, maxLength: 4 }),
  unit: fc.constantFrom(...Object.keys(UNITS)),
  style,
  value: fc.integer({ min: 1, max: 900_000 }),
});

test('counts only what a name states: its unit, its direction, and never a period, a serial number or an unknown word', () => {
  let counted = 0;
  fc.assert(
    fc.property(
      topic,
      fc.uniqueArray(register, { minLength: 1, maxLength: 5, selector: ({ value }) => value }),
      (on, all) => {
        const written = all.map(({ all: words, unit, style: joined, value }) => ({
          name: joined([...words, ...(unit === '' ? [] : [unit])]),
          meanings: words.map((one) => WORDS[one]),
          unit: UNITS[unit] ?? null,
          value,
        }));
        const body = Object.fromEntries(written.map(({ name, value }) => [name, value]));
        const result = read(on, body);
        for (const one of result?.readings ?? []) {
          if (one.channel.includes('ignored/')) continue;
          counted++;
          const of = written.filter(
            ({ unit, value, name }) =>
              body[name] === value && unit?.[0] === one.kind && Math.abs(value * unit[1] - Number(one.value)) < 1e-6,
          );
          expect(of.length, `${one.channel} ${one.value} of ${JSON.stringify(body)}`).toBeGreaterThan(0);
          const isAllowed = of.some(({ meanings }) => {
            const said = new Set<string>(meanings);
            if (said.has('never') || said.has('unclear')) return false;
            const directions = ['import', 'export'].filter((way) => said.has(way));
            const wanted =
              directions.length === 1 ? [`${directions[0]}`] : directions.length === 0 ? ['import', 'pv/export'] : [];
            if (directions.length === 0 && one.kind === 'energy_total_kwh' && on !== 'home/plug1')
              return one.channel === 'pv/export' && /solar|inverter/.test(on);
            return wanted.some((channel) => one.channel.replace(/^grid\//, '') === channel);
          });
          expect(isAllowed, `${on}: ${one.channel} ${one.kind} of ${JSON.stringify(body)}`).toBe(true);
        }
      },
    ),
    { numRuns: 5_000 },
  );
  expect(counted).toBeGreaterThan(500);
});

const PUBLIC_NAMES = readFileSync(new URL('../vocabulary/register-names.tsv', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .slice(1)
  .map((line) => line.split('\t') as [language: string, name: string, meaning: string]);

test('never counts a publicly known register name as another quantity, alone or next to other names', () => {
  const wrong: string[] = [];
  let counted = 0;
  for (const [at, [, name, meaning]] of PUBLIC_NAMES.entries()) {
    const [, other = '', otherMeaning = ''] = PUBLIC_NAMES[(at * 7 + 3) % PUBLIC_NAMES.length] ?? [];
    const pair: [string, number, string][] = [
      [name, 5, meaning],
      [other, 7, otherMeaning],
    ];
    for (const some of [pair.slice(0, 1), pair]) {
      const body = Object.fromEntries(some.map(([one, value]) => [`${one} (kWh)`, value]));
      for (const { channel, value } of read('house/x', body)?.readings ?? []) {
        const truths = some.filter(([, number]) => number === value).map(([, , truth]) => truth);
        if (/(?:^|\/)ignored\//.test(channel)) continue;
        counted++;
        const said = channel.replace(/^(gas|heat)\/import/, '$1').replace(/-\d$/, '');
        // If the device also has a register of a heating system, the energy that it produces is heat, so `heat` is right, too.
        const isRight = truths.some(
          (truth) => truth === said || (truth === 'own' && /^(?:pv|battery)\/|^heat$/.test(said)),
        );
        if (!isRight) wrong.push(`${JSON.stringify(body)}: ${value} as ${channel}, not ${truths}`);
      }
    }
  }
  expect(wrong).toEqual([]);
  expect(counted).toBeGreaterThan(200);
});

test('never throws on any body, and reads no number that is not in it', () => {
  fc.assert(
    fc.property(fc.string(), fc.jsonValue({ maxDepth: 6 }), (on, body) => {
      const texts = JSON.stringify(body);
      // Excludes heat, because heat in `MJ` or `GJ` is converted to kWh. The test expects unconverted numbers.
      const unscaled = (read(on, body)?.readings ?? []).filter(({ channel }) => !channel.startsWith('heat/'));
      for (const { value } of unscaled) expect(texts).toContain(String(value));
    }),
    { numRuns: 2_000 },
  );
});

test('the message tester proposes a meaning by the unit of a name, in any order of the names', () => {
  const body = { InvSerial: 12_345_678, Battery: 80, ts: 1_790_000_000, active_power_w: 412, total_import_kwh: 7 };
  const proposed = getPayloadMembers(Buffer.from(JSON.stringify(body)), 'home/x').map(({ path, proposed: one }) => [
    path,
    one?.unit ?? null,
  ]);
  expect(proposed).toEqual([
    ['$.InvSerial', null],
    ['$.Battery', null],
    ['$.ts', null],
    ['$.active_power_w', 'W'],
    ['$.total_import_kwh', 'kWh'],
  ]);
});

test('asks the owner nothing about daily energy, contract values, power factors or the number of phases', () => {
  const body = {
    ...{ consumption_day: 3.2, energy_import_day: 3.2, consumo_giorno: 3, Day_energy_kWh: 3.2, 'Day Production': 4 },
    ...{
      contract_power_kw: 6,
      'Potenza contrattuale kW': 3,
      anschlussleistung_kw: 11,
      array_size_kw: 4.6,
      battery_capacity_kwh: 9.6,
    },
    ...{ power_factor: 0.97, PF_total: 0.9, number_of_phases: 3, power_limit_w: 600, max_charge_power_w: 2_400 },
  };
  for (const [name, value] of Object.entries(body)) {
    const result = read('home/x', { [name]: value });
    expect([name, result?.asks ?? []]).toEqual([name, []]);
    for (const { channel } of result?.readings ?? []) expect(channel).toMatch(/^ignored\//);
  }
  // "Day" is a tariff if the device has another register for the night.
  expect(read('home/x', { consumption_day: 3.2, consumption_night: 4.2 })?.asks).toHaveLength(2);
});

/**
 * Names in several languages of quantities that are not consumed or produced energy: content of a battery, maximum of a connection, energy
 * of one charging session.
 */
const CONTENTS = [
  ...['total_capacity', 'battery_capacity', 'Battery Install Capacity', 'remaining', 'available_energy', 'Full energy'],
  ...[
    'Gesamtkapazität',
    'Verfügbare Energie',
    'Hauptsicherung',
    'Sitzungsenergie',
    'hoofdzekering',
    'Beschikbare Energie',
  ],
  ...[
    'hovedsikring',
    'ladesesjon energi',
    'huvudsäkring',
    'Énergie disponible',
    'capacité',
    'Energia importata odierna',
  ],
  ...['Dzisiejszy import energii', 'pojemność baterii', 'energía disponible', 'kapasiteetti', 'Peak Export Limit'],
];

test('neither counts nor asks about contents, fuses, limits and sessions, whatever is next to them', () => {
  const unit = fc.constantFrom('kWh', 'Wh', 'kW', 'W');
  const others = fc.dictionary(
    fc.constantFrom('total_import_kwh', 'battery_charge_total_kwh', 'pv_energy_kwh'),
    fc.nat(),
  );
  fc.assert(
    fc.property(topic, fc.constantFrom(...CONTENTS), unit, others, (on, name, of, body) => {
      const full = `${name} (${of})`;
      const result = read(on, { ...body, [full]: 14.5 });
      expect(result?.asks.map(({ native_name }) => native_name) ?? []).not.toContain(full);
      for (const { channel, value } of result?.readings ?? [])
        if ([14.5, 14_500, 0.0145].includes(Number(value))) expect(channel).toMatch(/(?:^|\/)ignored\//);
    }),
    { numRuns: 1_000 },
  );
});

test('a number without a unit never counts, and its owner is asked if its name states an energy', () => {
  const asked = (on: string, body: unknown) => {
    const result = read(on, body);
    expect(result?.readings ?? []).toEqual([]);
    return (result?.asks ?? []).map(({ native_name, unit }) => [native_name, unit]);
  };
  // Sources: fronius-bridge, sigenergy2mqtt, lxp-bridge, bluetti_mqtt and KEBA's UDP interface, by their documents.
  expect(asked('bridge/inverter/x/values', { ac_energy: 11_060.2, ac_power_active: 238 })).toEqual([
    ['ac_energy', null],
    ['ac_power_active', null],
  ]);
  expect(asked('x/sigen_0_lifetime_imported_energy/state', '4512.33')).toHaveLength(1);
  expect(asked('home/solar/energy/total', '12345.6')).toEqual([['energy/total', null]]);
  expect(asked('bluetti/state/AC300/ac_output_power', '110')).toEqual([['ac_output_power', null]]);
  expect(asked('solar/powermeter/import', '5123.4')).toEqual([['powermeter/import', null]]);
  expect(asked('smartmeter/0/1-0:1_8_0*255/value', '22341.512')).toEqual([['1-0:1_8_0*255', null]]);
  expect(asked('home/grid/power', { value: 1.2 })).toEqual([['power', null]]);
  expect(asked('keba/report/3', { U1: 230, P: 11_040_000, 'E pres': 45_000, 'E total': 170_062_150 })).toEqual([
    ['E total', null],
  ]);
  for (const [on, body] of [
    ['home/solar/energy/today', '12.6'],
    ['car/EVEnergyCapacity', '64000'],
    ['phone/tx_power', '20'],
    ['heater/power', '1'],
    ['x/power_factor', '0.97'],
    ['x/energy_price', '0.31'],
    ['x/total', '5'],
  ] as const)
    expect([on, asked(on, body)]).toEqual([on, []]);
});

/**
 * Messages of public projects that state neither unit nor direction, with the number of questions to the owner. Their sources:
 * steff393/wbec (src/mqtt.cpp), tjhowse/modbus4mqtt (config/E3DC-S10.yaml, SG5K-D.yaml), cmcgerty and IgorYbema/Sofar2mqtt,
 * mpepping/solarman-mqtt, datenschuft/SMA-EM (features/mqtt.py), ragingcomputer/amridm2mqtt, dxoverdy/Alpha2MQTT, ahpohl/smartmeter, otti's
 * Growatt topics, samyness/EVNKaifaMA309SmartMeter_MQTT_HomeAssistant, and the bridge of KPM33B meters.
 */
const WITHOUT_UNIT: [topic: string, body: unknown, questions: number][] = [
  ['wbec/inverter/pwrInv', '2500', 1],
  ['wbec/inverter/pwrMet', '-340', 1],
  ['modbus4mqtt/power/sun', '1250', 1],
  ['modbus4mqtt/energy_meter_power', '-420', 1],
  ['sofar/solarPV', '1500', 1],
  ['Sofar2mqtt/state', { total_purchase: 2_345, total_exported: 1_234, today_exported: 3.2 }, 2],
  ['solarmanpv/station/purchasePower', '300', 1],
  ['SMA-EM/status/1900203015/psupply', '812.4', 1],
  ['SMA-EM/status/1900203015', { pconsume: 423.1, psupply: 12.5, p1consume: 123.1, pvdaily: 4_200 }, 3],
  ['readings/12345678/meter_reading', '12345.67', 1],
  ['Alpha2MQTT/state/day/one', { REG_GRID_METER_R_TOTAL_ENERGY_FEED_TO_GRID_1: 12_351.5 }, 1],
  ['smartmeter', [{ energy: 125.25, power: 259.2, time: 1_577_884_800 }, { serial: 'EBZ5DD3' }], 2],
  ['growatt/Etotal', '3821.7', 1],
  ['growatt/Pac', '1201.3', 1],
  ['growatt/Pdischarge', '340.0', 1],
  ['smartmeter/kaifa_ma309/state/power_net_w', '-120', 1],
  ['kpm33b/33B1225950029/minutes', { device_id: '33B1225950029', active_energy: 1_234.5 }, 1],
  ['sma/2000123456', { time: 1_586_608_779, values: { Pac: 3_006, 'E-Total': 45_358.5, 'h-Total': 47_797 } }, 1],
];

test.each(WITHOUT_UNIT)('asks about %s, and counts nothing of it', (on, body, questions) => {
  const result = read(on, body);
  expect([result?.readings, result?.asks.length]).toEqual([[], questions]);
});

test('asks nothing about a session, a setting, a schedule, or a flow that may be something else', () => {
  for (const [on, body] of [
    // Sources: teslamate-org/teslamate, jagheterfredrik/wallbox-mqtt-bridge.
    ['teslamate/cars/1/charge_energy_added', '5.06'],
    ['wallbox_1/added_energy/state', '5.2'],
    ['x/power_mode', '3'],
    ['x/power_on_behavior', '2'],
    ['x/power_signal', '-61'],
    ['phone/home', '12'],
    ['job/import', '5123'],
    ['axis/forward', '12'],
    ['energy/day/total', '12.6'],
    ['grid/frequency', '50.01'],
  ] as const)
    expect([on, read(on, body)]).toEqual([on, null]);
});

test('reports a number beyond every register if its message has nothing else, because its unit is unknown', () => {
  // The registers of Discovergy (inexogy) are in units of 0.1 µWh.
  const result = read('discovergy/main', { time: 1_636_152_869_126, values: { energyOut: 119_411_587_467_000 } });
  expect(result).toMatchObject({ readings: [], asks: [], refused: [expect.stringContaining('energyOut')] });
});

test('a time at the end of a topic distinguishes no devices', () => {
  // Source: README.md of nabovarme/MeterLogger.
  const payload = 'heap=21376&t1=23.61 C&tdif=1.42 K&effect1=0.0 kW&hr=73327 h&v1=1321.27 m3&e1=56.726 MWh&';
  for (const at of ['1514764800', '1514764860'])
    expect(read(`/sample/v2/9999999/${at}`, payload)?.asks).toMatchObject([
      { device: '/sample/v2/9999999', value: 56_726 },
    ]);
});

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
      const result = read('home/x', { [`${name}${between}${unit}`]: 4_000 });
      expect((result?.readings ?? []).map((one) => [one.kind, one.value])).toEqual(
        kind === null ? [] : [[kind, 4_000 * times]],
      );
    }),
  );
  expect(read('TWC/0123/lifetimekWh', '159')?.asks).toMatchObject([{ value: 159, unit: 'kWh' }]);
  fc.assert(
    fc.property(fc.constantFrom('import', 'imported', 'export', 'exported'), fc.boolean(), (name, isTopic) => {
      const [at, body] = isTopic ? [`cellar/${name}kwh`, '4000'] : ['cellar', { [`${name}kwh`]: 4_000, today_kwh: 3 }];
      const counted = (read(at, body)?.readings ?? []).filter(({ channel }) => !channel.includes('ignored/'));
      expect(counted).toMatchObject([{ channel: name.replace('ed', ''), value: 4_000 }]);
      for (const other of ['price', 'eur', 'today', 'per'])
        expect(read('cellar', { [`${other}kwh`]: 4_000 })?.readings ?? []).toEqual([]);
    }),
  );
});

test('reads a unit next to the number in one text, and in lists of name=value', () => {
  expect(read('openhab/Meter_Import/state', '12345.6 kWh')?.readings).toMatchObject([
    { channel: 'import', value: 12_345.6 },
  ]);
  expect(read('meter/x', { energy_import: '145,57 kWh' })?.readings).toMatchObject([{ value: 145.57 }]);
  expect(read('meter/x', { energy_supply_export: 2_345.5, energy_supply_exportunit: 'Wh' })?.readings).toMatchObject([
    { channel: 'export', value: 2.3455 },
  ]);
  const nibe = { register: '44308', titel: 'Heat Meter - Heat', unit: 'kWh', min: '0', max: '9999', data: 12_345.6 };
  expect(read('nibe/modbus/44308/json', nibe)?.readings).toMatchObject([{ channel: 'heat/import', value: 12_345.6 }]);
  // The comma may separate thousands, so the number is ambiguous.
  expect(read('meter/x', { energy_import: '1,234 kWh' })?.readings ?? []).toEqual([]);
  expect(read('meter/x', 't1=25.00 C&import=4567 kWh')?.readings).toMatchObject([{ channel: 'import', value: 4_567 }]);
  expect(read('house/grid_imp_kwh', '7')?.readings).toMatchObject([{ channel: 'import' }]);
  expect(read('house/x', { 'Constant (imp/kWh)': 1_000 })).toBeNull();
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
        read('devi/state/10213154/import_total_kwh', text),
        read('cellar', { import_total_kwh: text }),
        read('cellar', { energy_import: `${text} kWh` }),
        read('cellar/import', { value: text, unit: 'kWh' }),
      ])
        expect([text, one?.readings.map((reading) => reading.value) ?? []]).toEqual([text, isAmbiguous ? [] : [value]]);
    }),
  );
  expect(read('devi/state/10213154/import_total_kwh', '1,234')?.refused).toHaveLength(1);
  for (const text of ['1.234,5', '1,234,567', '1,234.5', '12,5,3'])
    expect(read('cellar', { import_total_kwh: text })?.readings ?? []).toEqual([]);
});

test.each([
  ['sensors/main/l1_power_current', '2000'],
  ['cellar/meter/power_factor', '0.93'],
  ['openWB/counter/set/home_consumption', '560'],
  ['evcc/site/homePower', '560'],
  ['garage/site/tariffGrid', '0.294'],
  ['wattpilot/91017821/properties/wh/state', '560'],
  ['N/c0619ab0/system/0/Ac/Consumption/L1/Power', '{"value": 560}'],
])('%s is no device of its own', (at, payload) => {
  expect(read(at, payload)?.family).not.toBe('names');
});

test('asks about a number below a word that programs with a family of their own use, too', () => {
  const asked = (at: string) => read(at, '4821.337')?.asks.map(({ device, native_name }) => [device, native_name]);
  expect(asked('tele/smartmeter/power/total/value')).toEqual([['tele/smartmeter', 'power/total']]);
  expect(asked('glow/cellar/energy/import')).toEqual([['glow/cellar', 'energy/import']]);
  // Both registers of a meter belong to one device.
  for (const name of ['total_consumption_tariff_1', 'total_production_tariff_2'])
    expect(asked(`dsmr/power/${name}`)).toEqual([['dsmr/power', name]]);
});

test('asks about the consumption of the moment as a power, and not as an energy', () => {
  for (const name of ['current_consumption', 'actual_usage', 'currentProduction'])
    expect(read(`dsmr/cellar/${name}`, '412')?.asks).toMatchObject([{ native_name: name, value: 412 }]);
  const collected = namesFamily.decode(
    { topic: 'dsmr/cellar/current_consumption', payload: Buffer.from('412'), receivedAtMs: 0 },
    {},
    null,
  );
  expect(collected?.said).toMatchObject([{ kind: 'power_w' }]);
});

test('asks about a volume of gas or water without a unit, and never counts it or names a price, a flow or a day', () => {
  const medium = fc.constantFrom('gas', 'water');
  const counted = fc.constantFrom('total', 'counter', 'meter_reading', 'consumption');
  const never = fc.constantFrom('flow', 'price', 'today', 'temperature', 'pressure');
  fc.assert(
    fc.property(medium, counted, never, fc.boolean(), (of, word, other, isBare) => {
      const name = `${of}_${word}`;
      const at = isBare ? `cellar/${name}` : 'cellar/x';
      const result = read(at, isBare ? '8123.4' : { [name]: 8123.4 });
      expect(result?.readings).toEqual([]);
      expect(result?.asks).toMatchObject([{ native_name: name, unit: null, value: 8123.4 }]);
      expect(read('cellar/x', { [`${name}_${other}`]: 8123.4 })?.asks ?? []).toEqual([]);
    }),
  );
  expect(read('smartnetz/gastotal', '8123.45')?.asks).toMatchObject([{ native_name: 'gastotal' }]);
});

test('reads a list of names, values and units as an object of them', () => {
  const numbers = fc.dictionary(
    fc.constantFrom('total_import', 'total_export', 'active power'),
    fc.record({ value: fc.integer({ min: 2, max: 9_000 }), unit: fc.constantFrom('kWh', 'Wh', 'W') }),
    { minKeys: 1 },
  );
  fc.assert(
    fc.property(numbers, (byName) => {
      const list = Object.entries(byName).map(([name, one]) => ({ name, ...one }));
      expect(read('cellar/x', { values: list })).toEqual(read('cellar/x', { values: byName }));
    }),
  );
});

test('neither counts nor asks about what a tank contains as an energy, and asks if the name says energy', () => {
  const fuel = fc.constantFrom('gas', 'oil', 'heating_oil', 'diesel', 'lpg', 'propane', 'pellet');
  const tank = fc.constantFrom('tank', 'cistern', 'reservoir');
  const rest = fc.constantFrom('consumption', 'total_consumption', 'level', 'consumption_total');
  fc.assert(
    fc.property(fuel, tank, rest, fc.integer({ min: 0, max: 2 }), (of, where, what, split) => {
      const [at, name] = [
        ['heating', `${of}_${what}_${where}`],
        [`heating/${of}`, `${where}_${what}`],
        [`heating/${of}_${where}`, what],
      ][split] as [string, string];
      expect(read(at, { [name]: 812.4 })).toBeNull();
      expect(read(`${at}/${name}`, '812.4')).toBeNull();
      expect(read(at, { [`${name}_energy_total`]: 812.4 })?.readings ?? []).toEqual([]);
    }),
  );
  expect(read('heating', { oil_tank_energy_total: 812.4 })?.asks).toHaveLength(1);
});

test('asks about numbered data points, in an object or one by one, as the same numbers of the same device', () => {
  const value = fc.integer({ min: 2, max: 90_000 });
  // A message contains standard points of Tuya or the maker's own points here, because the own points are ignored next to standard ones.
  const pointsFrom = (min: number, max: number) =>
    fc.dictionary(fc.integer({ min, max }).map(String), value, { minKeys: 1, maxKeys: 3 });
  const points = fc.oneof(pointsFrom(1, 100), pointsFrom(101, 255));
  fc.assert(
    fc.property(points, (dps) => {
      const wanted = Object.entries(dps).map(([number, one]) => ({
        device: 'tuya/plug',
        native_name: `dps/${number}`,
        unit: null,
        value: one,
      }));
      const whole = [read('tuya/plug', { dps }), read('tuya/plug/dps', dps), read('tuya/plug/dps/state', dps)];
      for (const result of whole) expect([result?.readings, result?.asks]).toEqual([[], wanted]);
      const single = Object.entries(dps).map(([number, one]) => read(`tuya/plug/dps/${number}/state`, String(one)));
      expect(single.flatMap((one) => one?.asks ?? [])).toEqual(wanted);
      expect(read('tuya/plug/command', { dps })).toBeNull();
    }),
  );
  expect(read('tuya/plug', { dps: { 1: true, 9: 0, 10: 'auto' } })).toBeNull();
  const askedOf = (dps: object) => read('tuya/plug/dps', dps)?.asks.map(({ native_name }) => native_name) ?? [];
  // Source: make-all/tuya-local, issue 2713 (PJ-1203A), and the dump of a plug with its calibration (tuya-mqtt).
  expect(askedOf({ 1: 1_197, 2: 38, 101: 11_963, 111: 4_996, 116: 1_000 })).toEqual(['dps/1', 'dps/2']);
  expect(askedOf({ 1: true, 17: 5, 18: 420, 19: 912, 20: 2_333, 22: 665, 23: 33_366, 24: 19_190, 25: 1_085 })).toEqual([
    'dps/17',
    'dps/19',
  ]);
});

test('asks about the total of a numbered meter and what a meter counts per hour, and never about its day', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 99 }), fc.integer({ min: 2, max: 900_000 }), (number, total) => {
      const at = `pulses/${number}`;
      const wanted = [{ device: at, native_name: 'total', unit: null, value: total }];
      expect(read(`${at}/total`, String(total))).toMatchObject({ readings: [], asks: wanted });
      expect(read(at, { total, today: 5, yesterday: 7 })).toMatchObject({ readings: [], asks: wanted });
      for (const word of ['today', 'yesterday', 'pulsecount']) expect(read(`${at}/${word}`, String(total))).toBeNull();
      expect(read(at, { total, free: 5, used: 7 })).toBeNull();
    }),
  );
  expect(read('readings/12345678/meter_rate', '812.4')).toMatchObject({ readings: [], asks: [{ unit: null }] });
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
      const result = read(`${at}/${written}${end}`, '4000');
      const numbers = [...(result?.asks ?? []), ...(result?.readings ?? [])];
      expect(numbers.map(({ value }) => value)).toEqual([4_000 * times]);
      for (const one of result?.asks ?? []) expect(one.unit).toBe(of);
      for (const one of result?.readings ?? []) expect(at).toContain(one.channel);
    }),
  );
  expect(read('gas/total/m3', '812.4')?.readings).toMatchObject([{ kind: 'volume_total_m3', value: 812.4 }]);
  expect(read('heating/temperature/C', '21.5')?.readings).toMatchObject([{ kind: 'temperature_c', value: 21.5 }]);
  for (const at of ['meter/daily/W', 'phase/C', 'cellar/m3', 'water/price/m3', 'water/today/m3'])
    expect(read(at, '4000')?.readings ?? []).toEqual([]);
});

test('asks about a number of which only the commodity is known, and never about what a tank holds or a flow', () => {
  const medium = fc.constantFrom('gas', 'water');
  const plain = fc.constantFrom('value', 'volume', 'm3');
  fc.assert(
    fc.property(medium, plain, fc.boolean(), (of, name, isDeep) => {
      const at = isDeep ? `home/${of}` : of;
      const asks = [{ unit: null, value: 812.4 }];
      expect(read(`${at}/${name}`, '812.4')).toMatchObject({ readings: [], asks });
      if (name !== 'm3') expect(read(at, { [name]: 812.4 })).toMatchObject({ readings: [], asks });
      for (const word of ['tank', 'temperature', 'flow', 'today', 'price'])
        expect([word, read(`${at}/${word}/${name}`, '812.4')?.readings ?? []]).toEqual([word, []]);
      expect(read(`${at}/tank/${name}`, '812.4')).toBeNull();
    }),
  );
});

test('reads a list of a number, its unit and its time as the number next to its unit', () => {
  const units = fc.constantFrom('kWh', 'Wh', 'W', 'kW', 'm3');
  const times = fc.option(fc.integer({ min: 1_750_000_000, max: 1_780_000_000 }), { nil: undefined });
  fc.assert(
    fc.property(units, times, fc.integer({ min: 2, max: 90_000 }), (unit, time, value) => {
      const list = read('cellar/total_import', [...(time === undefined ? [] : [time]), value, unit]);
      const { readings = [], asks = [] } = read('cellar/total_import', { value, unit }) ?? {};
      const ts = time === undefined ? null : new Date(time * 1_000).toISOString();
      expect(list?.readings ?? []).toEqual(readings.map((one) => ({ ...one, ts })));
      expect(list?.asks ?? []).toEqual(asks);
      for (const other of [[value, value, unit], [unit, 'W', value], [value], [[value, unit]]])
        expect(read('cellar/total_import', other)?.readings ?? []).toEqual([]);
    }),
  );
});

test('reads the only list of a body, of one object, as that object with its name, and no list next to another one', () => {
  const inner = fc.dictionary(
    fc.constantFrom('total_import_kwh', 'total_export_kwh', 'active_power_w'),
    fc.integer({ min: 2, max: 9_000 }),
    { minKeys: 1 },
  );
  fc.assert(
    fc.property(fc.constantFrom('values', 'today', 'last_month', 'export', 'meterValue'), inner, (name, object) => {
      const body = { connector: 1, [name]: [object] };
      expect(read('cellar/x', body)).toEqual(read('cellar/x', { connector: 1, [name]: object }));
      expect(read('cellar/x', { ...body, total: {} })).toBeNull();
      expect(read('cellar/x', { ...body, [name]: [object, object] })).toBeNull();
    }),
  );
  // Source: OCPP 1.6, chapter 7, SampledValue.
  const values = [
    { value: '12345', measurand: 'Energy.Active.Import.Register', unit: 'Wh' },
    { value: '7200', measurand: 'Power.Active.Import', phase: 'L1', unit: 'W' },
    { value: '7100', measurand: 'Power.Active.Import', phase: 'L2', unit: 'W' },
  ];
  const body = { connectorId: 1, meterValue: [{ timestamp: '2026-11-27T19:25:10Z', sampledValue: values }] };
  const { readings = [], asks = [] } = read('ocpp/CP001/MeterValues', body) ?? {};
  const found = [...readings, ...asks].map(({ value }) => value);
  expect(found.sort()).toEqual([12.345, 7_100, 7_200]);
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
      const counted = (read('home/x', body)?.readings ?? []).filter(({ channel }) => !channel.includes('ignored/'));
      expect(counted.map((one) => [one.kind, one.value])).toEqual([[kind, 4_000 * times]]);
      expect(read('home/x', body)?.asks).toEqual([]);
    }),
  );
});

test('`in` and `out` in a topic are the sides of a program, and no direction of a flow', () => {
  for (const level of ['in', 'out', 'Out'])
    for (const at of [`reader/${level}`, `openhab/${level}/meter`, `${level}/cellar`]) {
      expect(read(at, { power_delivered: 421, power_delivered_w: 421 })?.readings ?? []).toEqual([]);
      expect(read(at, { total_energy_kwh: 421 })?.asks).toHaveLength(1);
    }
});

test('asks about energies of a message that states a day without a time, because they may be those of the day', () => {
  const day = fc.constantFrom('2026-11-27', '27.11.2026', '11/27/2026');
  const name = fc.constantFrom(
    'consumption_kwh',
    'import_kwh',
    'total_power_import_kwh',
    'exported_wh',
    'pv_energy_kwh',
  );
  fc.assert(
    fc.property(fc.constantFrom('date', 'day', 'jour', 'Datum', 'for'), day, name, (of, at, register) => {
      const energies = (body: object) =>
        (read('house/x1', body)?.readings ?? []).filter(({ kind }) => kind === 'energy_total_kwh');
      expect(energies({ [of]: at, [register]: 12.5 })).toEqual([]);
      expect(read('house/x1', { [of]: at, [register]: 12.5 })?.asks.map((one) => one.native_name)).toEqual([register]);
      expect(energies({ [of]: at, time: '10:00:00', import_kwh: 12.5 })).toHaveLength(1);
    }),
  );
  expect(read('house/times', { import_kwh: 12.5 })?.readings).toEqual([]);
});

test('never counts a unit alone, whatever the topic names', () => {
  for (const level of ['pv', 'solar', 'inverter', 'battery', 'meter', 'plug1'])
    for (const unit of ['kwh', 'wh', 'KWH']) {
      expect([level, read(`${level}/${unit}`, '12.5')?.readings]).toEqual([level, []]);
      if (level !== 'plug1') expect([level, read(`${level}/x`, { [unit]: 12.5 })?.readings]).toEqual([level, []]);
    }
});

test('asks about the power of a unit alone below a subject, and about a surplus, which may be negative', () => {
  const ofSubject = ['pv/watt', 'solar/kW', 'inverter/W'];
  const surplus = ['solar_surplus_w', 'ueberschuss_kw', 'excedente_kw', 'pv/surplus/W'];
  for (const name of [...ofSubject, ...surplus])
    for (const value of ['834', '-834']) {
      const result = read(`house/${name}`, value);
      expect([name, result?.readings, result?.asks.length]).toEqual([name, [], 1]);
    }
  expect(read('house/pv/power/W', '834')?.readings).toMatchObject([{ channel: 'pv/export' }]);
  expect(read('house/meter/import/W', '834')?.readings).toMatchObject([{ channel: 'import' }]);
  expect(read('house/x', { surplus_energy_kwh: 834 })?.readings).toMatchObject([{ channel: 'export' }]);
});

test('asks about energies next to an interval, to its ends or to what they have cost, but not next to a price', () => {
  const name = fc.constantFrom('consumed_kwh', 'import_kwh', 'exported_wh');
  const interval = fc.constantFrom(
    { interval_cost: 0.1 },
    { interval: 3_600 },
    { intervalStart: '2026-11-28T00:00:00Z' },
    { period: 'h' },
    { from: '2026-11-28T00:00:00Z', to: '2026-11-28T01:00:00Z' },
    { usage_start_time: 1, usage_end_time: 2 },
    { cost: 0.1 },
    { Kosten: 0.1 },
  );
  const plain = fc.constantFrom({ price: 0.3 }, { update_interval: 60 }, { start_time: 1 }, { cost_today: 2 }, {});
  fc.assert(
    fc.property(name, interval, plain, fc.boolean(), (register, of, more, isInside) => {
      const at = (body: object) => read('house/x1', isInside ? { tariff: 'low', meter: body } : body);
      expect(at({ ...of, [register]: 12.5 })).toMatchObject({ readings: [], asks: [{}] });
      expect(at({ ...more, [register]: 12.5 })).toMatchObject({ readings: [{ kind: 'energy_total_kwh' }], asks: [] });
      const apart = at({ schedule: of, [register]: 12.5 });
      expect(apart).toMatchObject({ readings: [{ kind: 'energy_total_kwh' }], asks: [] });
    }),
  );
  // A cost next to a lifetime total can be the cost of that total, so the total is still a register.
  expect(read('house/x1', { total_import_kwh: 12.5, cost: 4 })?.readings).toHaveLength(1);
});

test('reads what a meter of the M-Bus measures as the medium that the message names, and asks if it names none', () => {
  const name = fc.constantFrom('total_energy_kwh', 'consumption_kwh', 'energy_total_kwh');
  const medium = fc.constantFrom('Heat: Outlet', 'Heat: Inlet', 'heat volume at inlet', 'Heat', 'Wärme');
  fc.assert(
    fc.property(name, medium, fc.constantFrom('medium', 'media', 'Medium', 'DeviceType'), (register, text, of) => {
      const channels = read('gateway/5', { [of]: text, [register]: 12.5 })?.readings.map(({ channel }) => channel);
      expect(channels).toEqual(['heat/import']);
      const onBus = read('mbus/5', { [register]: 12.5 });
      expect([onBus?.readings, onBus?.asks.length]).toEqual([[], 1]);
      const inCircuit = read('cellar/x', { [register]: 12.5, flow_temperature_c: 60, return_temperature_c: 40 });
      expect(inCircuit?.readings.filter(({ kind }) => kind === 'energy_total_kwh')).toEqual([]);
      expect(inCircuit?.asks).toHaveLength(1);
    }),
  );
});

test('joules of a register are heat, whatever it is called, and millijoules are no unit', () => {
  const names = fc.constantFrom('total_energy', 'heat_energy', 'energy total', 'consumption');
  const units = fc.constantFrom<[string, number]>(['GJ', 1_000], ['MJ', 1]);
  fc.assert(
    fc.property(names, units, fc.integer({ min: 1, max: 900 }), (name, [unit, times], value) => {
      const [one, ...others] = read('cellar/x', { [`${name} (${unit})`]: value })?.readings ?? [];
      expect([one?.channel, Number(one?.value).toFixed(6), others]).toEqual([
        'heat/import',
        ((value * times) / 3.6).toFixed(6),
        [],
      ]);
      expect(read('cellar/x', { [`${name} (mJ)`]: value })?.readings ?? []).toEqual([]);
    }),
  );
});

/** Names and topics of public projects without a unit. General rules apply to them, and the owner is asked about each. */
const ASKED: [topic: string, body: unknown, name: string][] = [
  // Sources: Smart Gateways (smartgateways.nl, manual of the water meter gateway), Landis+Gyr by WarmteLink.
  ['watermeter/reading/current_value', '123456', 'current_value'],
  ['warmtelink/heat_meter/reading', '12.345', 'heat_meter/reading'],
  // Sources: kilianknoll/kostal-RESTAPI, and the labels of Enedis-NOI-CPT_54E.
  ['kostal/devices:local/Home_P', '412.3', 'Home_P'],
  ['linky/BASE', '012345678', 'BASE'],
  // Sources: CHINT DTSU666 and meters by IEC 62056 (ImpEp, A+).
  ['dtsu666/ImpEp', '1234.5', 'ImpEp'],
  ['smartmeter/values', { 'A+': 12_345_678, 'P+': 412 }, 'A+'],
  // Sources: Danielhiversen/pyTibber (lastMeterProduction), solaredge/api (lifeTimeData), bgerp/ztools (lifetime_energy).
  ['tibber/live', { lastMeterProduction: 6_411.9, power: 4 }, 'lastMeterProduction'],
  ['solaredge/site', { lifeTimeData: { energy: 7_827_878 }, lastDayData: { energy: 7_373 } }, 'lifeTimeData/energy'],
  ['homeassistant/apsystems/ecu/lifetime_energy', '4821.3', 'lifetime_energy'],
  ['meterkast/verbruik_totaal', '12345.6', 'verbruik_totaal'],
  ['maison/compteur/index_total', '12345678', 'compteur/index_total'],
  ['ha/grid/import', '1234.5', 'grid/import'],
  ['house/pv/total', '12345', 'pv/total'],
  // Source: datenschuft/SMA-EM (pconsumecounter, psupplycounter).
  ['SMA-EM/status/1900203015/pconsumecounter', '12345.67', 'pconsumecounter'],
  // Sources: softwarecrash/EPEver2MQTT, wirenboard/wb-mqtt-serial (WB-MAP3E), HomA's gas meter, and the MQTT example of
  // nmakel/solaredge_modbus.
  ['EPEver/EP_1/StatsData/GEN_TOT', '1234.56', 'GEN_TOT'],
  ['/devices/wb-map3e_35/controls/Total P', '1500.2', 'Total P'],
  ['/devices/123456-gas-meter/controls/Volume', '1234.56', 'Volume'],
  ['solaredge/meter/import_energy_active', '4123456', 'import_energy_active'],
  ['energy/solar/sma', { ac_p: 1_230, ac_v: 231 }, 'ac_p'],
  // Source: SENEC's registers, which are published by their sections.
  ['senec/ENERGY/GUI_GRID_POW', '-123.4', 'GUI_GRID_POW'],
  // Sources: helgeerbe/OpenDTU-OnBattery (labels of VE.Direct), embyt/enocean-mqtt, an agent of SolarMax inverters.
  ['solar/victron/HQ2132ABCDE/H19', '812.34', 'H19'],
  ['enocean/meter', { MR: 12_345.6, TI: 0, DT: 0, _RSSI_: -60 }, 'MR'],
  ['house/solar/solarmax0', { PAC: 1_234, KDY: 5.2, KT0: 34_123 }, 'KT0'],
  // Sources: SolarView (emontnemery/domoticz_mqtt_discovery), flavio-fernandes/mqtt2kasa, letscontrolit/ESPEasy with an SDM230,
  // visualapproach/WiFi-remote-for-Bestway-Lay-Z-SPA.
  ['solarview/D0/BKT0', '34431', 'BKT0'],
  ['/dehumidifier/switch/emeter/total', '51.493', 'emeter/total'],
  ['EspEasy/Energy_11/SDM230s3/ImpA', '1234.5', 'ImpA'],
  ['layzspa/times', { UPTIME: 123, KWH: 45.678, COST: 12.3 }, 'KWH'],
  ['house/meter', { electricity: 12_345.6 }, 'electricity'],
  // Sources: futurehomeno/fimp-api (meter_elec), a fork of fluvius2mqtt, an older converter of the LiXee ZLinky_TIC.
  ['pt:j1/mt:evt/rt:dev/sv:meter_elec', { val: { e_import: 48_211.64, p_import: 2_310 } }, 'val/e_import'],
  ['dsmr/elec_cons_t1', { elec_cons_t1: 9_120.331, database: 'dsmr' }, 'elec_cons_t1'],
  ['iot/zigbee/ZLinky', { currentSummDelivered: 4_571_435, linkquality: 120 }, 'currentSummDelivered'],
  // Topics below Home Assistant's prefix that are not announcements (F1ATB's router), and words that end like a unit (va).
  ['homeassistant/sensor/RMS_state', { Energie_M_Soutiree: 7, PuissanceS_M: 3 }, 'Energie_M_Soutiree'],
  ['eredes/contador', { energia_ativa_importada: 8_123_411 }, 'energia_ativa_importada'],
  ['casa/contatore', { energia_attiva_prelevata: 8_123_411 }, 'energia_attiva_prelevata'],
];

test.each(ASKED)('asks about %s, whose unit is unknown', (on, body, name) => {
  const result = read(on, body);
  expect([result?.readings, result?.asks.map(({ native_name }) => native_name)]).toEqual([[], [name]]);
});

test('asks nothing about a voltage of the grid, a state of Home Assistant, or a label that numbers something small', () => {
  for (const [on, body] of [
    ['twc/vitals', { grid_v: 230.1, grid_hz: 50.01, session_energy_wh: 3_200 }],
    ['homeassistant/sensor/meter_energy/state', '4821.3'],
    ['homeassistant/status', 'online'],
    ['wind/EAST', '12'],
    ['cellar/H19', '812.3'],
    ['cellar/x', { MR: 812.3, KT0: 34_123 }],
    ['solar/victron/HQ2132ABCDE/H20', '1.23'],
    ['grid/battery_a', '12.5'],
  ] as const)
    expect([on, read(on, body)?.asks ?? [], read(on, body)?.readings ?? []]).toEqual([on, [], []]);
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
      const stated = read('cellar/total_import', { ...more, [one]: number, [other]: 'kWh' });
      expect(stated?.readings).toMatchObject([{ device: 'cellar', channel: 'import', value: number }]);
      expect(read('cellar/total_import', { ...more, [one]: number })?.asks).toMatchObject([
        { value: number, unit: null },
      ]);
      const nested = read('cellar/x', { total_import: { [one]: number, [other]: 'kWh' } });
      expect(nested?.readings).toMatchObject([{ device: 'cellar/x', channel: 'import', value: number }]);
    }),
  );
});

test('reads a number with its unit as meters print it, and a list of meters that state their names', () => {
  // A text as in IEC 62056-21 (eBZ DD3), and a list that states the name of each meter in `meter_name`.
  expect(read('ebz/1-0:1.8.0*255', '000002.66313813*kWh')?.readings).toMatchObject([
    { channel: 'import', value: 2.66313813 },
  ]);
  const data = [
    { meter_name: 'HOOFDTELLER_AFNAME_KWH', value: 912_331.4 },
    { meter_name: 'HOOFDTELLER_INJECTIE_KWH', value: 20_111.8 },
  ];
  expect(read('telemetry/x/default', { timestamp: 1_700_000_100_000, data })?.asks).toMatchObject([
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
        expect(read('cellar/x', { import_energy: number, other: 5, [name]: unit })?.readings).toMatchObject(wanted);
      expect(read('cellar/x', { import_energy: number, type: 1, unit })?.readings).toMatchObject(wanted);
      expect(read('cellar/x', { import_energy: number, other: 5, unit })?.readings).toEqual([]);
    }),
  );
  // Source: tomquist/solix2mqtt (scenInfo).
  const statistics = [
    { type: '1', total: '89.75', unit: 'kwh' },
    { type: '2', total: '89.48', unit: 'kg' },
    { type: '3', total: '35.90', unit: '€' },
  ];
  expect(read('solix/site', { statistics })?.asks).toMatchObject([{ native_name: 'statistics', value: 89.75 }]);
  expect(read('solix/site', { statistics: [...statistics, ...statistics] })).toBeNull();
});

test('numbers of devices with different names on one topic are those of several devices', () => {
  // jertel/vuegraf publishes all circuits on one topic.
  fc.assert(
    fc.property(fc.uniqueArray(fc.stringMatching(/^[A-Z][a-z]{2,9}-\d$/), { minLength: 2, maxLength: 5 }), (all) => {
      const devices = all.flatMap((device_name) =>
        read('vuegraf/energy_usage', { account: 'x', device_name, usage_watts: 275.02 })?.readings.map(
          ({ device }) => device,
        ),
      );
      expect(new Set(devices).size).toBe(all.length);
    }),
  );
});

test('asks about no year before the last one', () => {
  // Source: zivillian/ism7mqtt, Verbrauch_Vorvorjahr (consumption of the year before last) of a CHA heat pump.
  expect(read('Wolf/CHA_0x8/Verbrauch_Vorvorjahr', '2682')).toBeNull();
});

test('numbers of one title below numbered addresses are registers of several devices', () => {
  // jeedom/plugin-mqtt2 publishes each command on jeedom/cmd/event/{id}, and pakerfeldt/knx-mqtt on knx/{group address}.
  const body = { value: '12345', unite: 'kWh', name: 'Consommation totale' };
  // The first addresses are also OBIS codes of registers and the frequency of a radio receiver.
  for (const id of ['280', '380', '182', '433', ...fc.sample(fc.nat(9_999), 20)]) {
    const device = `jeedom/cmd/event/${id}`;
    expect(read(device, body)?.readings).toMatchObject([{ device, channel: 'import', value: 12_345 }]);
  }
  // Source: fredlcore/BSB-LAN, mqtt_handler.h, publication with names.
  const heat = {
    'BSB-LAN': { device: 0, parameter: 3113, name: 'Wärmemenge gesamt', value: '12345', unit: 'kWh', error: 0 },
  };
  expect(read('BSB-LAN/0/3113', heat)?.asks).toMatchObject([{ native_name: 'BSB-LAN/Wärmemenge gesamt' }]);
});

test('reads a list of objects that name themselves as an object of them, and no list that only its order explains', () => {
  const part = fc.dictionary(
    fc.constantFrom('total_import_kwh', 'total_export_kwh', 'active_power_w'),
    fc.integer({ min: 2, max: 9_000 }),
    { minKeys: 1 },
  );
  const parts = fc.dictionary(fc.constantFrom('grid', 'solar', 'output_1', '7'), part, { minKeys: 2, maxKeys: 4 });
  fc.assert(
    fc.property(parts, fc.constantFrom('Name', 'sn', 'type'), (byName, identity) => {
      const list = Object.entries(byName).map(([name, one]) => ({ [identity]: name, ...one }));
      const [asList, asObjects] = [list, byName].map((outputs) => read('cellar/x', { outputs, total: {} }));
      expect(asList).toEqual(asObjects);
      expect(read('cellar/x', { outputs: [...list, ...list], total: {} })).toBeNull();
    }),
  );
  // Source: production.json of Enphase, forwarded from the gateway.
  const production = [
    { type: 'inverters', wNow: 1_234, whLifetime: 12_345_678 },
    { type: 'eim', wNow: 1_230.1, whLifetime: 12_300_000 },
  ];
  const result = read('envoy/production', { production, consumption: [] });
  expect(result).toMatchObject({
    readings: [{ channel: 'pv/export', value: 12_345.678 }],
    asks: [{ native_name: 'production/eim/whLifetime', value: 12_300 }],
  });
});

test('asks about a volume of gas or water next to its unit, whatever it is called', () => {
  const units = fc.constantFrom('m3', 'm³', 'l');
  fc.assert(
    fc.property(fc.constantFrom('gas', 'water'), units, fc.integer({ min: 2, max: 9_000 }), (of, unit, reading) => {
      expect(read('cellar/p1', { [of]: { reading, unit } })).toMatchObject({
        readings: [],
        asks: [{ native_name: of }],
      });
      for (const other of ['tank', 'today', 'price', 'flow'])
        expect(read('cellar/p1', { [`${of}_${other}`]: { reading, unit } })?.asks ?? []).toEqual([]);
    }),
  );
});
