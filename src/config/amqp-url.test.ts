import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { credentialsIn, parseAmqpUrl } from './amqp-url.ts';
import { loadConfig } from './load.ts';

describe('the URL of a broker cluster', () => {
  test('names hosts, each with a port where it is another one', () => {
    expect(parseAmqpUrl('amqp://energy:s%2Fcret%40@a,b.example:5673,[::1]:5674/meters')).toEqual({
      isSecure: false,
      hosts: [
        { host: 'a', port: 5672 },
        { host: 'b.example', port: 5673 },
        { host: '::1', port: 5674 },
      ],
      username: 'energy',
      password: 's/cret@',
      vhost: 'meters',
    });
    expect(parseAmqpUrl('amqps://a')).toMatchObject({
      isSecure: true,
      hosts: [{ port: 5671 }],
      vhost: '/',
      username: '',
    });
    expect(parseAmqpUrl('amqps://a/')).toMatchObject({ vhost: '/' });
    expect(parseAmqpUrl('amqps://a/%2Fx')).toMatchObject({ vhost: '/x' });
  });

  test.each([
    'amqp://',
    'amqp://a,',
    'amqp://a,,b',
    'amqp://a:0',
    'amqp://a:65536',
    'amqp://a b',
    'amqp://a/v/w',
    'amqp://a?heartbeat=0',
    'amqp://u:%zz@a',
    'mqtt://a',
    'amqp:a',
  ])('is not %s', (url) => {
    expect(parseAmqpUrl(url)).toBeNull();
    expect(() => loadConfig({ MQTT_URL: url === 'mqtt://a' ? 'amqp' : url })).toThrow('MQTT_URL');
  });

  test('has any user and any password, written as in a URL', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (username, password) => {
        const given = `${encodeURIComponent(username)}:${encodeURIComponent(password)}`;
        expect(parseAmqpUrl(`amqp://${given}@a,b`)).toMatchObject({ username, password });
        expect(credentialsIn(`amqp://${given}@a,b`)).toEqual({ username, password });
        expect(credentialsIn(`mqtt://${given}@a`)).toEqual({ username, password });
      }),
    );
  });
});
