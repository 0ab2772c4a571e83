import { expect, test } from 'vitest';
import { unstorableIn } from './storable-config.ts';

const mistakes = (config: Record<string, unknown>): string[] =>
  unstorableIn(config).map(({ path, message }) => `${path.join('.')}: ${message}`);

test.each([
  {},
  { tz: 'Europe/Berlin', note: '🌞 ä', senml: { topics: ['a/b'] }, more: [null, 1, true] },
  { mapping: [{ topic: 'heater/setpoint' }, { topic: 'a/set/+' }, { topic: 'a/get/total' }, 'x', null] },
])('stores %j', (config) => {
  expect(mistakes(config)).toEqual([]);
});

test.each([
  [{ meter: { a: { unit: '\ud800' } } }, /^meter\.a\.unit: must not contain/],
  [{ senml: { topics: ['a', 'x\udc00y'] } }, /^senml\.topics\.1: must not contain/],
  [{ note: 'a\0' }, /^note: must not contain NUL/],
  [{ emon: { 'a\ud83d': {} } }, /^emon: a name in it must not contain/],
  [{ mapping: [{ topic: 'a/b' }, { topic: 'heater/set' }] }, /^mapping\.1\.topic: names wishes or questions/],
  [{ mapping: [{ topic: '+/get' }] }, /^mapping\.0\.topic: /],
  [{ mapping: [{ topic: 'x/y/command' }] }, /^mapping\.0\.topic: /],
  [{ mapping: [{ topic: 'cmnd/#' }] }, /^mapping\.0\.topic: /],
])('refuses %j', (config, said) => {
  expect(mistakes(config)).toEqual([expect.stringMatching(said)]);
});
