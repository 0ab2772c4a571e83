import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { loadWords } from '#test/support/words.ts';
import { formatMosquittoBridge, formatPublishCommands, getServiceAddress, listDeviceSettings } from './snippets.ts';

beforeAll(() => loadWords('en'));

test('the page’s snippets equal those of the documentation, with hosts that other devices can reach', () => {
  const documents = readFileSync(resolve(import.meta.dirname, '../../../../deploy/DEVICES.md'), 'utf8');
  const mqtt = { username: 'gwy_1', password: 'secret', topic_prefix: 'gw/gwy_1/' };
  const ports = { tls: 8883, plain: 1883 };
  const mqttSettings = { host: 'energy.example.com', ports, is_plain_open: false, needs_certificate: false };
  const away = getServiceAddress('energy.example.com', mqttSettings);
  const plain = (text: string) => text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const [, documented = ''] = /```conf\n(persistence[\s\S]*?)```/.exec(documents) ?? [];
  const filled = documented.replaceAll('GATEWAY_ID', 'gwy_1').replaceAll('PASSWORD', 'secret');
  expect(plain(formatMosquittoBridge(mqtt, away))).toEqual(plain(filled));
  // The documented bridge must not forward other topics of the same prefixes, which contain passwords and settings.
  expect(documented).not.toMatch(/^topic (openWB|openWB\/(system|vehicle|chargepoint)|N|warp\d?)\/(\+\/)?#/m);
  expect(listDeviceSettings(mqtt, away)[0]?.text).toBe(
    'Backlog MqttHost energy.example.com; MqttPort 8883; MqttUser gwy_1; MqttPassword secret; FullTopic gw/gwy_1/%prefix%/%topic%/',
  );
  const login = { username: 'dev_1', password: 'secret', topic: 'energy/v1/dev_1/readings' };
  expect(formatPublishCommands(login, '{}', away)).toEqual({
    plain: null,
    tls: "mosquitto_pub -h energy.example.com -p 8883 --capath /etc/ssl/certs -u dev_1 -P 'secret' -q 1 -t energy/v1/dev_1/readings -m '{}'",
  });
  // An installation in a home: the browser runs on the service's machine, devices run on other machines, and the service has issued its own
  // certificate.
  const house = { host: '192.168.1.5', ports, is_plain_open: false, needs_certificate: true };
  const here = getServiceAddress('localhost', house);
  expect(formatPublishCommands(login, '{}', here).plain).toContain('-h 127.0.0.1 -p 1883 -u dev_1');
  expect(formatPublishCommands(login, '{}', here).tls).toContain(
    '-h 192.168.1.5 -p 8883 --cafile energy-service.pem -u dev_1',
  );
  expect(formatPublishCommands(login, '{}', getServiceAddress('192.168.1.5', house)).plain).toBe(null);
  const open = getServiceAddress('192.168.1.5', { ...house, is_plain_open: true });
  expect(formatPublishCommands(login, '{}', open).plain).toContain('-h 192.168.1.5 -p 1883');
  expect(formatMosquittoBridge(mqtt, here)).toMatch(
    /^address 192\.168\.1\.5:8883\nbridge_cafile .*energy-service\.pem$/m,
  );
  expect(
    listDeviceSettings(mqtt, here).map(({ text }) => /SetOption132 1|ca: |_authority: |user_ca/.test(text)),
  ).toEqual([true, true, true, true]);
  const six = getServiceAddress('localhost', { ...house, host: 'fd00::5' });
  expect(formatMosquittoBridge(mqtt, six)).toContain('address [fd00::5]:8883');
  // For an external broker, only the host is configured, not its ports.
  const other = getServiceAddress('localhost', { ...mqttSettings, ports: null });
  expect([other.plainHost, other.isKnown]).toEqual([null, false]);
});
