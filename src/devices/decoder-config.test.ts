import { expect, test } from 'vitest';
import { findDecoderConfigErrors, findMappingsOfOtherDevices } from './decoder-config.ts';
import type { MappingEntry } from './mapping.ts';

const mistakes = (config: Record<string, unknown>): string[] =>
  findDecoderConfigErrors(config).map(({ path, message }) => `${path.join('.')}: ${message}`);

test.each([
  {},
  { tz: 'Europe/Berlin', note: '🌞 ä', senml: { topics: ['a/b'] }, more: [null, 1, true] },
  { mapping: [{ topic: 'heater/setpoint' }, { topic: 'a/set/+' }, { topic: 'a/get/total' }, 'x', null] },
])('stores the decoder_config %j', (config) => {
  expect(mistakes(config)).toEqual([]);
});

test.each([
  [{ meter: { a: { unit: '\ud800' } } }, /^meter\.a\.unit: must not contain/],
  [{ senml: { topics: ['a', 'x\udc00y'] } }, /^senml\.topics\.1: must not contain/],
  [{ note: 'a\0' }, /^note: must not contain NUL/],
  [{ emon: { 'a\ud83d': {} } }, /^emon: a name in it must not contain/],
  [{ mapping: [{ topic: 'a/b' }, { topic: 'heater/set' }] }, /^mapping\.1\.topic: matches commands or requests/],
  [{ mapping: [{ topic: '+/get' }] }, /^mapping\.0\.topic: /],
  [{ mapping: [{ topic: 'x/y/command' }] }, /^mapping\.0\.topic: /],
  [{ mapping: [{ topic: 'cmnd/#' }] }, /^mapping\.0\.topic: /],
])('rejects the decoder_config %j', (config, said) => {
  expect(mistakes(config)).toEqual([expect.stringMatching(said)]);
});

const TOTAL = { path: '$.total', unit: 'kWh', meaning: 'import' } as const;

test.each<[string, Partial<MappingEntry> & { topic: string }]>([
  ['b1', { topic: 'home/+/energy' }],
  ['b1', { topic: 'home/b1/energy', device: 'b1' }],
  ['boiler-b1', { topic: 'home/+/energy', device: 'boiler-+' }],
  ['home/b1/energy', { topic: 'home/b1/energy' }],
])('accepts for %s the device’s own mapping %j', (nativeId, entry) => {
  expect(findMappingsOfOtherDevices([{ ...TOTAL, ...entry }], nativeId)).toEqual([]);
});

test.each<[Partial<MappingEntry> & { topic: string }, RegExp]>([
  // The mapping of this device assigns the messages on its topic to another device.
  [{ topic: 'home/b1/energy' }, /^is home\/b1\/energy, but this device is b1: .* Set "device": "b1"$/],
  [{ topic: 'home/b2/energy', device: 'b2' }, /^is b2, /],
  [{ topic: 'home/+/energy', device: 'boiler-+' }, /Omit device/],
])('rejects %j in the mapping of device b1', (entry, said) => {
  const mapped = [
    { ...TOTAL, topic: 'home/+/energy' },
    { ...TOTAL, meaning: 'export', ...entry },
  ];
  expect(findMappingsOfOtherDevices(mapped, 'b1')).toEqual([
    { field: 'decoder_config.mapping.1.device', message: expect.stringMatching(said) },
  ]);
});
