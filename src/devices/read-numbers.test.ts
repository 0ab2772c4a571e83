import { expect, test } from 'vitest';
import type { DecoderConfig } from './decoder-config.ts';
import type { MappingEntry } from './mapping.ts';
import {
  type DiscoveredSeries,
  hasSeriesSourceChanged as isOther,
  mergeMessageNumberSettings,
} from './read-numbers.ts';

const total: MappingEntry = { topic: 'boiler/+/state', path: '$.total', unit: 'kWh', meaning: 'import' };
const series: DiscoveredSeries = {
  family: 'mapping',
  native_id: 'b1',
  channel: 'import',
  kind: 'register',
  native_name: 'boiler/+/state $.total',
};
const isReadOtherwise = (
  before: DecoderConfig,
  after: DecoderConfig,
  of: Partial<DiscoveredSeries>,
  own: DecoderConfig = {},
) => isOther(mergeMessageNumberSettings(before, own), mergeMessageNumberSettings(after, own), { ...series, ...of });

test.each<[string, MappingEntry[], MappingEntry[], boolean]>([
  ['another unit', [total], [{ ...total, unit: 'Wh' }], true],
  ['another scale', [total], [{ ...total, scale: 0.1 }], true],
  ['another place', [total], [{ ...total, path: '$.sum' }], true],
  ['another condition', [{ ...total, where: { '$.idx': 1 } }], [{ ...total, where: { '$.idx': 2 } }], true],
  ['another topic', [total], [{ ...total, topic: 'boiler/+/status' }], true],
  ['nothing, as it means something else: nothing comes', [total], [{ ...total, meaning: 'export' }], false],
  ['nothing, as it is no longer mapped: nothing comes', [total], [], false],
  ['mapped from now on', [], [total], true],
  ['the same number in other words', [total], [{ ...total, unit: 'MWh', scale: 0.001 }], false],
  ['another time', [total], [{ ...total, time_path: '$.at' }], false],
  ['a number more', [total], [{ ...total, path: '$.out', meaning: 'export' }, total], false],
  [
    'another device changes',
    [total, { ...total, device: 'roof-+' }],
    [total, { ...total, device: 'roof-+', unit: 'Wh' }],
    false,
  ],
  ['one that may be it changes', [total], [total, { ...total, topic: '+/b1/x', device: '+b1' }], true],
])('a register reads a different number with %s: %#', (_, before, after, is) => {
  expect(isReadOtherwise({ mapping: before }, { mapping: after }, {})).toBe(is);
});

test('a changed mapping of a power leaves the register of its channel unchanged', () => {
  const power: MappingEntry = { ...total, path: '$.now', unit: 'W', meaning: 'power' };
  const [before, after] = [{ mapping: [total, power] }, { mapping: [total, { ...power, scale: -1 }] }];
  expect(isReadOtherwise(before, after, {})).toBe(false);
  expect(isReadOtherwise(before, after, { kind: 'power' })).toBe(true);
});

test('a device’s own mapping overrides its family and its gateway’s mapping; its gateway’s mapping lists another device', () => {
  const plug = { family: 'tasmota', native_name: 'ENERGY.Total' };
  const other = { mapping: [{ ...total, unit: 'Wh' as const }] };
  expect(isReadOtherwise({}, { mapping: [total] }, plug)).toBe(false);
  expect(isReadOtherwise({ mapping: [total] }, other, {}, { mapping: [total] })).toBe(false);
  const own = (before: DecoderConfig, after: DecoderConfig) =>
    isOther(mergeMessageNumberSettings({}, before), mergeMessageNumberSettings({}, after), { ...series, ...plug });
  expect(own({}, { mapping: [total] })).toBe(true);
  expect(own({ mapping: [total] }, {})).toBe(true);
});

const rtlamr = { family: 'rtlamr', native_id: '7' };
const vzlogger = { family: 'vzlogger', native_id: '7' };
const plug = { family: 'espurna', native_id: '7' };
const meter = (unit: string, multiplier?: number): DecoderConfig => ({ meter: { 7: { unit, multiplier } } });
const pulse = { family: 'emon', native_id: 'tx', channel: 'pulse/import' };
const pulses = (perKwh: number, key = 'tx/pulse'): DecoderConfig => ({ emon: { [key]: { pulses_per_kwh: perKwh } } });
const wert = { family: 'tasmota', native_id: 'm1', channel: 'sml/import', native_name: 'SML.Wert_A' };
const tasmotaSetting = (counts_as: string, unit?: 'Wh' | 'kWh' | 'W' | 'kW', key = 'SML.Wert_A'): DecoderConfig => ({
  tasmota: { [key]: { counts_as, unit } },
});

test.each<[string, Partial<DiscoveredSeries>, DecoderConfig, DecoderConfig, boolean]>([
  ['another unit', rtlamr, meter('kWh'), meter('Wh'), true],
  ['another multiplier', rtlamr, meter('kWh'), meter('kWh', 0.01), true],
  ['the same in other words', rtlamr, meter('kWh', 1_000), meter(' mwh'), false],
  ['another volume', rtlamr, meter('ft3'), meter('ccf'), true],
  ['none, as families may read some by themselves', rtlamr, meter('kWh'), {}, true],
  ['one of a family that hears such meters', { ...rtlamr, family: 'rtl433' }, meter('kWh'), meter('Wh'), true],
  ['one after none', rtlamr, {}, meter('kWh'), true],
  ['that of another meter', rtlamr, meter('kWh'), { meter: { ...meter('kWh').meter, 8: { unit: 'Wh' } } }, false],
  ['a unit for kWh, which it was without one', vzlogger, {}, meter('kWh'), false],
  ['another unit', vzlogger, meter('kWh'), meter('Wh'), true],
  ['a unit that its power has anyway', { ...vzlogger, kind: 'power' }, meter('kWh'), meter('Wh'), false],
  ['another unit', plug, meter('kWh'), meter('Wh'), true],
  ['a unit of another of its channels', { ...plug, channel: 'channel1/unknown/energy' }, {}, meter('Wh'), false],
  ['other pulses', pulse, pulses(1_000), pulses(800), true],
  [
    'the pulses of another name',
    pulse,
    pulses(800),
    { emon: { ...pulses(800).emon, 'tx/other': { pulses_per_kwh: 1 } } },
    false,
  ],
  ['what tells its unit', { ...pulse, channel: 'ct1/import' }, {}, pulses(800, 'tx/E1'), false],
  ['another unit', wert, tasmotaSetting('import'), tasmotaSetting('import', 'Wh'), true],
  ['the same unit, said', wert, tasmotaSetting('import'), tasmotaSetting('import', 'kWh'), false],
  ['what its name says', wert, {}, tasmotaSetting('import'), false],
  [
    'another unit by its name alone',
    wert,
    tasmotaSetting('import', 'Wh', 'Wert_A'),
    tasmotaSetting('import', 'kWh', 'Wert_A'),
    true,
  ],
  ['the same by its name alone', wert, tasmotaSetting('import', 'Wh', 'Wert_A'), tasmotaSetting('import', 'Wh'), false],
  ['what it is no more, and another may be', wert, tasmotaSetting('import'), tasmotaSetting('export'), true],
  ['another number', wert, tasmotaSetting('import', 'kWh', 'SML.Wert_B'), tasmotaSetting('import'), true],
  [
    'a number of another meter',
    wert,
    tasmotaSetting('import'),
    { tasmota: { ...tasmotaSetting('import').tasmota, ...tasmotaSetting('import', 'Wh', 'PV.Sum').tasmota } },
    false,
  ],
  [
    'a power in another unit',
    { ...wert, kind: 'power' },
    tasmotaSetting('import', 'W'),
    tasmotaSetting('import', 'kW'),
    true,
  ],
  [
    'what a plug measures by itself',
    { ...wert, native_name: 'ENERGY.Total' },
    {},
    tasmotaSetting('import', 'Wh', 'Total'),
    false,
  ],
])('reads a different number with %s: %#', (_, of, before, after, is) => {
  expect(isReadOtherwise(before, after, of)).toBe(is);
});
