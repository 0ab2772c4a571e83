import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { getPayloadMembers } from './members.ts';
import { proposeMapping } from './proposal.ts';

const ENERGY = ['kWh', 'Wh', 'MWh'];
/** Generates names from words that firmware uses. */
const words = fc.array(
  fc.constantFrom(
    'active',
    'power',
    'total',
    'energy',
    'import',
    'export',
    'battery',
    'inv',
    'serial',
    'grid',
    'meter',
    'phase',
    'voltage',
    'l1',
    'foo',
    'today',
  ),
  { minLength: 1, maxLength: 4 },
);
const style = fc.constantFrom(
  (all: string[]) => all.join('_'),
  (all: string[]) => all.join(' '),
  (all: string[]) => all.join('-'),
  ([first = '', ...rest]: string[]) => first + rest.map((word) => word[0]?.toUpperCase() + word.slice(1)).join(''),
);
/** Units that `proposeMapping` may propose for each ending of a name. An empty list means that it must propose none. */
const UNITS: Record<string, string[]> = {
  kWh: ['kWh'],
  kwh: ['kWh'],
  Wh: ['Wh'],
  w: ['W'],
  W: ['W'],
  kW: ['kW'],
  m3: ['m3'],
  '%': [],
  pct: [],
  soc: [],
  v: [],
  V: [],
  a: [],
  hz: [],
  var: [],
  kvarh: [],
  va: [],
  mwh: [],
  mw: [],
  sn: [],
  eur: [],
  '': [],
};

describe('the proposed meaning of a number, by its name,', () => {
  test('proposes the unit at the end of a name, and nothing without a unit', () => {
    fc.assert(
      fc.property(words, style, fc.constantFrom(...Object.keys(UNITS)), fc.string(), (all, written, unit, topic) => {
        const proposed = proposeMapping([written([...all, ...(unit === '' ? [] : [unit])]), topic]);
        if (proposed) expect(UNITS[unit]).toContain(proposed.unit);
        if (proposed && !ENERGY.includes(proposed.unit)) expect(proposed.meaning).not.toBe('import');
        // For a name that contains a word for a battery or a day, or an unknown word, `proposeMapping` must return null.
        if (/battery|today|foo|serial/.test(all.join())) expect(proposed).toBeNull();
      }),
      { numRuns: 3_000 },
    );
  });

  test.each([
    ['active_power_w', { unit: 'W', meaning: 'power' }],
    ['total_kwh', { unit: 'kWh', meaning: 'import' }],
    ['energyTotalKWh', { unit: 'kWh', meaning: 'import' }],
    ['export_total_wh', { unit: 'Wh', meaning: 'export' }],
    ['import_t1_kWh', { unit: 'kWh', meaning: 'import/t1' }],
    ['gas_total_m3', { unit: 'm3', meaning: 'gas' }],
    ['room_temp_c', { unit: 'C', meaning: 'temperature' }],
    ['InvSerial', null],
    ['Battery', null],
    ['battery_kwh', null],
    ['flow', null],
    ['total_mWh', null],
    ['reactive_kwh', null],
    ['price_per_kwh', null],
  ])('%s', (name, proposed) => {
    expect(proposeMapping([name])).toEqual(proposed);
  });

  test('uses the name of the enclosing object if the member’s own name is plain', () => {
    const payload = Buffer.from(JSON.stringify({ total_kwh: { value: 5 }, battery: { total_kwh: 1 }, InvSerial: 7 }));
    expect(getPayloadMembers(payload, 'home/meter').map(({ path, proposed }) => [path, proposed])).toEqual([
      ['$.InvSerial', null],
      ['$.total_kwh.value', { unit: 'kWh', meaning: 'import' }],
      ['$.battery.total_kwh', null],
    ]);
    expect(getPayloadMembers(Buffer.from('12.5'), 'home/meter/total_kwh')[0]?.proposed).toEqual({
      unit: 'kWh',
      meaning: 'import',
    });
    expect(getPayloadMembers(Buffer.from('12.5'), 'home/meter')[0]?.proposed).toBeNull();
    expect(getPayloadMembers(Buffer.from('{"energy_kwh": 5}'), 'gas/meter')[0]?.proposed?.meaning).toBe('gas');
  });
});
