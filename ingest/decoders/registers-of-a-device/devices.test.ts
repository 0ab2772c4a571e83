import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LANGUAGES } from '../vocabulary/language.ts';
import { getNameMeaning } from '../vocabulary/name-facts.ts';
import { classifyRegisters } from './classify.ts';

const channelsOf = (names: Record<string, 'kWh' | 'W'>, device: string): Record<string, string> => {
  const all = Object.entries(names).map(([name, unit]) => ({
    label: name,
    described: { names: [name], unit, device },
  }));
  return Object.fromEntries([...classifyRegisters(all)].map(([{ label }, channel]) => [label, channel]));
};
const isCounted = (channel: string | undefined) => !/^(?:unknown|ignored)\//.test(channel ?? 'unknown/');
const unit = fc.constantFrom<'kWh' | 'W'>('kWh', 'W');

// Source: darrylb123/ESP32_SMA-Inverter-MQTT, whose announcements contain the maker `SMA` and no word for an inverter.
test('a device with numbered strings of panels is an inverter: what has no direction is production, not import', () => {
  const string = fc
    .record({ noun: fc.constantFrom('String', 'MPPT', 'string', 'mppt'), number: fc.integer({ min: 1, max: 12 }) })
    .chain(({ noun, number }) =>
      fc.constantFrom(`DC Power (${noun} ${number})`, `${noun} ${number} power`, `${noun}${number} power`),
    );
  const whole = fc.constantFrom('kWh Total', 'Total', 'Energy', 'Lifetime energy', 'Energy Total');
  const maker = fc.constantFrom('SMA-2130123456 SMA', 'X7 Acme', '');
  fc.assert(
    fc.property(string, whole, maker, (power, register, device) => {
      const channels = channelsOf({ [power]: 'W', 'AC Power': 'W', [register]: 'kWh' }, device);
      expect(channels[register]).toBe('pv/export');
      expect(channels['AC Power']).toBe('pv/export');
      expect(isCounted(channels[power])).toBe(false);
      expect(channelsOf({ [power]: 'W', 'Grid import': 'kWh' }, device)['Grid import']).toBe('grid/import');
    }),
  );
  // A battery also has strings, of cells.
  expect(channelsOf({ 'Battery string 1 power': 'W', Total: 'kWh' }, '').Total).toBe('import');
});

// Source: mhzawadi/foxess-mqtt, `generationPower` of a hybrid inverter; `FoxEss` contains the word ESS.
test('never counts a power that is produced as the charge of a battery', () => {
  const produced = LANGUAGES.flatMap(({ words }) =>
    words.flatMap(([of, list]) => (of === 'produced' ? list.filter((word) => /^\p{L}+$/u.test(word)) : [])),
  );
  const battery = fc.constantFrom('FoxEss KH8', 'Battery', 'Seplos', 'Pylontech US5000', 'home battery');
  fc.assert(
    fc.property(fc.constantFrom(...produced), battery, fc.boolean(), (word, device, isFirst) => {
      const name = isFirst ? `${word} power` : `Power ${word}`;
      expect([name, channelsOf({ [name]: 'W' }, device)[name]]).toEqual([
        name,
        expect.not.stringMatching(/battery\/import/),
      ]);
    }),
  );
  expect(channelsOf({ Power: 'W' }, 'Battery').Power).toBe('battery/import');
});

// Source: kosl/kronoterm2mqtt, `Current heating power` (heat) next to `Current power consumption` (electricity) of a heat pump.
test('asks about a use without a direction of a device that heats: it may be heat', () => {
  const device = fc.constantFrom('Kronoterm heat pump', 'Wärmepumpe', 'warmtepomp', 'Boiler', 'pompe à chaleur');
  const use = fc.constantFrom('heating', 'cooling', 'DHW', 'hot water', 'Heizung', 'Warmwasser', 'Kühlung');
  const form = fc.constantFrom<(name: string) => string>(
    (name) => `Current ${name} power`,
    (name) => `${name} energy`,
    (name) => `Power ${name}`,
    (name) => name,
  );
  fc.assert(
    fc.property(device, use, form, unit, (on, word, write, of) => {
      const name = write(word);
      expect([name, isCounted(channelsOf({ [name]: of }, on)[name])]).toEqual([name, false]);
      const consumed = `${word} consumption`;
      if (of === 'kWh') expect(channelsOf({ [consumed]: of }, on)[consumed]).toBe('import');
    }),
  );
  expect(channelsOf({ Power: 'W' }, 'Heat pump').Power).toBe('import');
  expect(channelsOf({ 'Boiler consumption': 'W' }, 'Boiler')['Boiler consumption']).toBe('import');
});

test('a name that ends with "to" or "from" states the direction at the grid, and none elsewhere', () => {
  const end = fc.constantFrom('', ' kWh', '_Total', ' Wh');
  const middle = fc.constantFrom('Energy', 'energy', 'Active Energy', 'Power', '');
  fc.assert(
    fc.property(fc.constantFrom('to', 'To', 'from', 'From'), middle, end, (word, between, after) => {
      const at = (place: string) =>
        [place, between, word].filter((part) => part !== '').join('_') + after.replace(' ', '_');
      expect(getNameMeaning(at('Grid')).direction).toBe(/to/i.test(word) ? 'export' : 'import');
      expect(isCounted(channelsOf({ [at('Meter')]: 'kWh' }, '')[at('Meter')])).toBe(false);
    }),
  );
  expect(getNameMeaning('energy from grid').direction).toBe('import');
  expect(getNameMeaning('energy to grid').direction).toBe('export');
});
