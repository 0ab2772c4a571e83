import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readMessage } from '#test/support/read-message.ts';
import { getPayloadMembers } from '../members.ts';

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
        const result = readMessage(on, body);
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
      for (const { channel, value } of readMessage('house/x', body)?.readings ?? []) {
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

/** Factors of units: powers of ten, also for joules, which are converted to kWh. */
const UNIT_FACTORS = Array.from({ length: 19 }, (_, at) => 10 ** (at - 9)).flatMap((factor) => [factor, factor / 3.6]);

test('never throws on any body, and reads no number that is not in it, apart from the factor of its unit', () => {
  let read = 0;
  fc.assert(
    fc.property(
      fc.string(),
      fc.jsonValue({ maxDepth: 6 }),
      fc.constantFrom('', 'kWh', 'W', 'MJ'),
      (on, inner, unit) => {
        const body = unit === '' ? inner : { [`total_import_${unit}`]: inner };
        const numbers = (JSON.stringify(body).match(/-?\d+(?:[.,]\d+)?(?:e[+-]?\d+)?/gi) ?? []).map((text) =>
          Number(text.replace(',', '.')),
        );
        const isInBody = (value: number) =>
          numbers.some((one) =>
            UNIT_FACTORS.some((by) => Math.abs(one * by - value) <= 1e-9 * Math.abs(value) + 1e-300),
          );
        for (const { value } of readMessage(on, body)?.readings ?? []) {
          read++;
          expect([value, isInBody(Number(value))]).toEqual([value, true]);
        }
      },
    ),
    { numRuns: 2_000 },
  );
  expect(read).toBeGreaterThan(20);
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
    const result = readMessage('home/x', { [name]: value });
    expect([name, result?.asks ?? []]).toEqual([name, []]);
    for (const { channel } of result?.readings ?? []) expect(channel).toMatch(/^ignored\//);
  }
  // "Day" is a tariff if the device has another register for the night.
  expect(readMessage('home/x', { consumption_day: 3.2, consumption_night: 4.2 })?.asks).toHaveLength(2);
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
      const result = readMessage(on, { ...body, [full]: 14.5 });
      expect(result?.asks.map(({ native_name }) => native_name) ?? []).not.toContain(full);
      for (const { channel, value } of result?.readings ?? [])
        if ([14.5, 14_500, 0.0145].includes(Number(value))) expect(channel).toMatch(/(?:^|\/)ignored\//);
    }),
    { numRuns: 1_000 },
  );
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
  expect(readMessage(at, payload)?.family).not.toBe('names');
});
