import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  chooseHostForDevices,
  findLocalNetworkAddress,
  isDatabaseUrl,
  maskUrl,
  parseAmqpUrl,
  parseCredentials,
  splitCredentials,
  splitDatabaseUrl,
} from './addresses.ts';
import { ConfigError, loadConfig, loadDemoConfig, readEffectiveVariables } from './load.ts';

describe('the addresses on which the broker listens, and the host that devices connect to', () => {
  test('MQTT listens publicly with TLS and locally without; demo and sandbox listen locally', () => {
    const { host, tlsHost } = loadConfig({}).mqtt;
    expect([host, tlsHost]).toEqual(['127.0.0.1', '0.0.0.0']);
    for (const config of [
      loadConfig({ ENVIRONMENT: 'sandbox' }),
      loadDemoConfig({}),
      loadDemoConfig({ MQTTS_HOST: '' }),
    ])
      expect([config.mqtt.host, config.mqtt.tlsHost, config.mqtt.publicHost]).toEqual([
        '127.0.0.1',
        '127.0.0.1',
        'localhost',
      ]);
    expect(loadDemoConfig({ MQTTS_HOST: '0.0.0.0' }).mqtt.tlsHost).toBe('0.0.0.0');
    expect(readEffectiveVariables({ PUBLIC_URL: 'https://energy.example.com' })).toMatchObject({
      MQTT_HOST: '127.0.0.1',
      MQTTS_HOST: '0.0.0.0',
      PUBLIC_MQTT_HOST: 'energy.example.com',
    });
  });

  test.each([
    ['https://energy.example.com:8443', '0.0.0.0', 'energy.example.com'],
    ['https://[fd00::5]', '0.0.0.0', 'fd00::5'],
    ['https://localhost:8443', '0.0.0.0', '192.168.1.5'],
    ['https://localhost:8443', '::', '192.168.1.5'],
    ['https://127.0.0.1:8443', '10.0.0.7', '10.0.0.7'],
    ['https://localhost:8443', '127.0.0.1', 'localhost'],
  ])('with PUBLIC_URL %s and MQTTS_HOST %s, devices connect to %s', (publicUrl, listensOn, host) => {
    expect(chooseHostForDevices(publicUrl, listensOn, () => '192.168.1.5')).toBe(host);
  });

  test('chooses the address of the default route, else of a physical interface, and prefers IPv4', () => {
    const at = (address: string, internal = false) => ({ address, internal }) as never;
    const interfaces = {
      lo: [at('127.0.0.1', true)],
      docker0: [at('172.17.0.1')],
      eth0: [at('fe80::1'), at('fd00::5'), at('192.168.1.5')],
      wlan0: [at('192.168.1.6')],
    };
    expect(findLocalNetworkAddress(interfaces, null)).toBe('192.168.1.5');
    expect(findLocalNetworkAddress(interfaces, 'wlan0')).toBe('192.168.1.6');
    expect(findLocalNetworkAddress({ eth0: [at('fe80::1'), at('fd00::5')] }, null)).toBe('fd00::5');
    expect(findLocalNetworkAddress({ lo: interfaces.lo }, null)).toBe(null);
  });

  test.each(['https://a', 'a:8883', 'a b', '-a', 'a..b', ''.padEnd(254, 'a')])(
    'rejects the host %j',
    (PUBLIC_MQTT_HOST) => {
      expect(() => loadConfig({ PUBLIC_MQTT_HOST })).toThrow(ConfigError);
      expect(() => loadConfig({ PUBLIC_MQTT_HOST })).toThrow(/^PUBLIC_MQTT_HOST: must be a host name or an IP address/);
    },
  );

  test("links use the API's port unless PUBLIC_URL contains another one", () => {
    expect(loadConfig({ API_PORT: '9443' }).publicUrl).toBe('https://localhost:9443');
    expect(loadConfig({ API_PORT: '9443', PUBLIC_URL: 'https://a.example/' }).publicUrl).toBe('https://a.example');
  });
});

test.each([
  ['postgres://energy:hunter2@db.example:5432/energy?sslmode=require', 'postgres://…@db.example:5432/…'],
  ['postgres://energy:hun@ter2@a:5432,b:5432/energy', 'postgres://…@a:5432,b:5432/…'],
  ['postgres://db.example', 'postgres://db.example'],
  ['postgres:///energy?host=/run/postgresql&password=hunter2', 'postgres:///…'],
  ['amqps://service:hunter2@one,two:5673/energy', 'amqps://…@one,two:5673/…'],
  ['https://collector.example/v1/hunter2', 'https://collector.example/…'],
  ['rediss://:hunter2@[2001:db8::1]:6379', 'rediss://…@[2001:db8::1]:6379'],
])('prints %s without its credentials', (url, shown) => {
  expect(maskUrl(url)).toBe(shown);
});

test.each(['postgres://energy:12/hunter2@db.example/energy', 'hunter2'])('prints (set) instead of %s', (url) => {
  expect(maskUrl(url)).toBe('(set)');
});

test.each([
  ['postgres://u:p@a:1,b:2/db', ['postgres://u:p@a:1/db', 'postgres://u:p@b:2/db']],
  [
    'postgresql://a,b:2,c/db?sslmode=require',
    ['a', 'b:2', 'c'].map((host) => `postgresql://${host}/db?sslmode=require`),
  ],
  ['postgres://u@[::1]:1,[::2]/db', ['postgres://u@[::1]:1/db', 'postgres://u@[::2]/db']],
  ['postgres://u:a%2Cb@h/db', ['postgres://u:a%2Cb@h/db']],
  ['postgres://u:a,b@h/db', ['postgres://u:a,b@h/db']],
  ['postgres://u:a,b@g,h/db', ['postgres://u:a,b@g/db', 'postgres://u:a,b@h/db']],
  ['postgres://u@a,b', ['postgres://u@a', 'postgres://u@b']],
  ['postgresql://u@localhost/db?host=/run/a,b', ['postgresql://u@localhost/db?host=/run/a,b']],
])('splits %s into its hosts', (url, single) => {
  expect(splitDatabaseUrl(url)).toEqual(single);
  expect(isDatabaseUrl(url)).toBe(true);
});

test.each([
  'postgres://a,,b/db',
  'postgres://a,/db',
  'postgres://u@,b/db',
  'postgres://a:1,b:x/db',
  'mysql://a,b/db',
  'a,b',
  '',
])('rejects the database URL %s', (url) => {
  expect(isDatabaseUrl(url)).toBe(false);
});

describe('the URL of a broker cluster', () => {
  test('contains hosts, each with its port unless that is the default', () => {
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
  ])('is rejected if it is %s', (url) => {
    expect(parseAmqpUrl(url)).toBeNull();
    expect(() => loadConfig({ MQTT_URL: url === 'mqtt://a' ? 'amqp' : url })).toThrow('MQTT_URL');
  });

  test('may contain any user name and password, encoded as in any URL', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (username, password) => {
        const userInfo = `${encodeURIComponent(username)}:${encodeURIComponent(password)}`;
        expect(parseAmqpUrl(`amqp://${userInfo}@a,b`)).toMatchObject({ username, password });
        expect(parseCredentials(`amqp://${userInfo}@a,b`)).toEqual({ username, password });
        expect(parseCredentials(`mqtt://${userInfo}@a`)).toEqual({ username, password });
        const login = { ...(username && { username }), ...(password && { password }) };
        expect(splitCredentials(`mqtts://${userInfo}@[::1]:8883`)).toEqual({ address: 'mqtts://[::1]:8883', login });
      }),
    );
  });
});
