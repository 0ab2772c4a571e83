import { expect, test } from 'vitest';
import { mayPublish } from './broker-access.ts';
import { gatewayPrefix, parseGatewayTopic, parseNativeTopic, readingsTopic } from './topics.ts';

test('what is made is read again', () => {
  expect(parseNativeTopic(readingsTopic('dev_1'))).toEqual({ deviceId: 'dev_1', leaf: 'readings' });
  expect(parseNativeTopic('energy/v1/dev_1/status')).toEqual({ deviceId: 'dev_1', leaf: 'status' });
  expect(parseGatewayTopic(`${gatewayPrefix('gwy_1')}tele/a\nb/SENSOR`)).toEqual({
    gatewayId: 'gwy_1',
    topic: 'tele/a\nb/SENSOR',
  });
});

test.each([
  'energy/v1/dev_1',
  'energy/v1/dev_1/other',
  'energy/v1/dev_1/readings/more',
  'energy/v1/dev_1/readings\n',
  'energy/v2/dev_1/readings',
  'energy/v1//readings',
  `energy/v1/${'x'.repeat(65)}/readings`,
  'energy/v1/d v/readings',
  '/energy/v1/dev_1/readings',
  'gw/gwy_1',
  'gw/gwy_1/',
  'gw//x',
])('%j is nobody’s', (topic) => {
  expect([parseNativeTopic(topic), parseGatewayTopic(topic)]).toEqual([null, null]);
  for (const name of ['dev_1', 'gwy_1', '']) expect(mayPublish(name, topic)).toBe(false);
});

test('a device publishes under its own topics, a gateway below its own prefix, and neither elsewhere', () => {
  expect(mayPublish('dev_1', 'energy/v1/dev_1/readings')).toBe(true);
  expect(mayPublish('dev_1', 'energy/v1/dev_1/status')).toBe(true);
  expect(mayPublish('dev_1', 'energy/v1/dev_2/readings')).toBe(false);
  expect(mayPublish('dev_1', 'gw/dev_1/x')).toBe(false);
  expect(mayPublish('gwy_1', 'gw/gwy_1/x/y')).toBe(true);
  expect(mayPublish('gwy_1', 'gw/gwy_2/x')).toBe(false);
  expect(mayPublish('gwy_1', 'energy/v1/gwy_1/readings')).toBe(false);
  for (const wild of ['+', '#', 'a\0b']) expect(mayPublish('gwy_1', `gw/gwy_1/${wild}`)).toBe(false);
});
