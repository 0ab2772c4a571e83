import { describe, expect, test } from 'vitest';
import { addressInNetwork, hostForDevices } from './addresses.ts';
import { ConfigError, effectiveVariables, loadConfig, loadDemoConfig } from './load.ts';

describe('where the broker listens, and what devices are told', () => {
  test('MQTT with TLS is the network’s, without it this machine’s; of demo and sandbox both are', () => {
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
    expect(effectiveVariables({ PUBLIC_URL: 'https://energy.example.com' })).toMatchObject({
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
  ])('with PUBLIC_URL %s and MQTTS_HOST %s devices are told %s', (publicUrl, listensOn, host) => {
    expect(hostForDevices(publicUrl, listensOn, () => '192.168.1.5')).toBe(host);
  });

  test('the address is that of the way out, else of a real interface, and IPv4 where there is any', () => {
    const at = (address: string, internal = false) => ({ address, internal }) as never;
    const interfaces = {
      lo: [at('127.0.0.1', true)],
      docker0: [at('172.17.0.1')],
      eth0: [at('fe80::1'), at('fd00::5'), at('192.168.1.5')],
      wlan0: [at('192.168.1.6')],
    };
    expect(addressInNetwork(interfaces, null)).toBe('192.168.1.5');
    expect(addressInNetwork(interfaces, 'wlan0')).toBe('192.168.1.6');
    expect(addressInNetwork({ eth0: [at('fe80::1'), at('fd00::5')] }, null)).toBe('fd00::5');
    expect(addressInNetwork({ lo: interfaces.lo }, null)).toBe(null);
  });

  test.each(['https://a', 'a:8883', 'a b', '-a', 'a..b', ''.padEnd(254, 'a')])('%j is no host', (PUBLIC_MQTT_HOST) => {
    expect(() => loadConfig({ PUBLIC_MQTT_HOST })).toThrow(ConfigError);
    expect(() => loadConfig({ PUBLIC_MQTT_HOST })).toThrow(/^PUBLIC_MQTT_HOST: must be a host name or an IP address/);
  });

  test('links follow the port of the API, unless PUBLIC_URL says otherwise', () => {
    expect(loadConfig({ API_PORT: '9443' }).publicUrl).toBe('https://localhost:9443');
    expect(loadConfig({ API_PORT: '9443', PUBLIC_URL: 'https://a.example/' }).publicUrl).toBe('https://a.example');
  });
});
