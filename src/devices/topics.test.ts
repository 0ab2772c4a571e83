import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createId } from '#src/core/ids.ts';
import { canConnectToRabbitMq, canPublishOnTopic } from './broker-access.ts';
import {
  findTopicOfRoutingKey,
  getGatewayTopicPrefix,
  getReadingsTopic,
  parseGatewayTopic,
  parseNativeTopic,
} from './topics.ts';

test('parses each topic that it creates', () => {
  expect(parseNativeTopic(getReadingsTopic('dev_1'))).toEqual({ deviceId: 'dev_1', leaf: 'readings' });
  expect(parseNativeTopic('energy/v1/dev_1/status')).toEqual({ deviceId: 'dev_1', leaf: 'status' });
  expect(parseGatewayTopic(`${getGatewayTopicPrefix('gwy_1')}tele/a\nb/SENSOR`)).toEqual({
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
])('the topic %j belongs to no device or gateway', (topic) => {
  expect([parseNativeTopic(topic), parseGatewayTopic(topic)]).toEqual([null, null]);
  for (const name of ['dev_1', 'gwy_1', '']) expect(canPublishOnTopic(name, topic)).toBe(false);
});

test('a device publishes only under its own topics, a gateway only below its own prefix', () => {
  expect(canPublishOnTopic('dev_1', 'energy/v1/dev_1/readings')).toBe(true);
  expect(canPublishOnTopic('dev_1', 'energy/v1/dev_1/status')).toBe(true);
  expect(canPublishOnTopic('dev_1', 'energy/v1/dev_2/readings')).toBe(false);
  expect(canPublishOnTopic('dev_1', 'gw/dev_1/x')).toBe(false);
  expect(canPublishOnTopic('gwy_1', 'gw/gwy_1/x/y')).toBe(true);
  expect(canPublishOnTopic('gwy_1', 'gw/gwy_2/x')).toBe(false);
  expect(canPublishOnTopic('gwy_1', 'energy/v1/gwy_1/readings')).toBe(false);
  for (const wild of ['+', '#', 'a\0b']) expect(canPublishOnTopic('gwy_1', `gw/gwy_1/${wild}`)).toBe(false);
});

describe('a RabbitMQ routing key, which has dots instead of the slashes of a topic', () => {
  /** Returns the routing key that RabbitMQ's MQTT plug-in forms from a topic. */
  const keyOf = (topic: string) => topic.replaceAll('/', '.').replaceAll('+', '*');

  test('is converted from a routing key to the topic of a device', () => {
    for (const topic of [getReadingsTopic('dev_1'), 'energy/v1/dev_1/status', getReadingsTopic('a-b_C')]) {
      expect(findTopicOfRoutingKey(keyOf(topic))).toBe(topic);
    }
  });

  test('is rejected if the routing key may stand for another topic', () => {
    for (const topic of [
      'gw/g/kitchen.plug/state',
      'gw/g/x',
      'spBv1.0/g/DDATA/n',
      'energy/v1/dev.1/readings',
      'energy/v1/ü/readings',
      'energy/v1/dev 1/readings',
      'energy/v1//readings',
      'energy/v1/dev_1/readings/x',
      '',
      '.',
      'energy/v1/*/readings',
      'energy/v1/dev_1/readings\n',
    ]) {
      expect(findTopicOfRoutingKey(keyOf(topic))).toBeNull();
    }
    expect(findTopicOfRoutingKey('energy/v1/dev_1/readings')).toBeNull();
    expect(findTopicOfRoutingKey('energy.v1/dev_1.readings')).toBeNull();
  });

  test('is never converted to the topic of a different device', () => {
    const word = fc.string({
      unit: fc.constantFrom('a', '.', '/', '+', ' ', 'ü', 'readings', 'energy', 'v1'),
      maxLength: 6,
    });
    fc.assert(
      fc.property(word, word, (prefix, id) => {
        const topic = `${prefix}energy/v1/${id}/readings`;
        const recoveredTopic = findTopicOfRoutingKey(keyOf(topic));
        if (recoveredTopic !== null) expect(parseNativeTopic(recoveredTopic)?.deviceId).toBe(id);
      }),
    );
  });
});

test('a device may use RabbitMQ with a client id that begins with its login; a gateway may not', () => {
  const [device, other] = [createId('dev'), createId('dev')];
  expect(canConnectToRabbitMq(device, device)).toBe(true);
  expect(canConnectToRabbitMq(device, `${device}-1`)).toBe(true);
  for (const clientId of ['', 'homeassistant', other, device.slice(0, -1), ` ${device}`]) {
    expect(canConnectToRabbitMq(device, clientId)).toBe(false);
  }
  const gateway = createId('gwy');
  expect(canConnectToRabbitMq(gateway, gateway)).toBe(false);
});
