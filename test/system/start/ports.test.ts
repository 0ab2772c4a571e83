import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { expect, test } from 'vitest';
import { loadConfig } from '#src/config/load.ts';
import { choosePorts } from '#src/start/ports.ts';
import { freePort } from '#test/support/free-port.ts';

test('ports that are chosen are none that the system gives to a connection of a role meanwhile', async () => {
  const [lowest = 0] = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').split('\t').map(Number);
  const zeros = { API_PORT: '0', HTTP_PORT: '0', MQTT_PORT: '0', MQTTS_PORT: '0' };
  for (let round = 0; round < 20; round++) {
    const { api, mqtt } = await choosePorts(loadConfig(zeros));
    const chosen = [api.port, api.httpPort, mqtt.port, mqtt.tlsPort];
    expect(new Set(chosen).size).toBe(4);
    expect(Math.max(...chosen)).toBeLessThan(lowest);
  }
});

const VARIABLES = ['API_PORT', 'HTTP_PORT', 'MQTT_PORT', 'MQTTS_PORT'] as const;
const HERE = { API_HOST: '127.0.0.1', MQTT_HOST: '127.0.0.1', MQTTS_HOST: '127.0.0.1' };
const ZEROS = Object.fromEntries(VARIABLES.map((name) => [name, '0']));

test.each(VARIABLES)('a port that is taken ends the start at once, with the port and %s', async (variable) => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const config = loadConfig({ ...HERE, ...ZEROS, [variable]: String(port) });
  await expect(choosePorts(config)).rejects.toThrow(
    `Port ${port} is in use. Stop what listens there, or set ${variable} to another port.`,
  );
  server.close();
  await once(server, 'close');
  await choosePorts(config);
});

const PAIRS = VARIABLES.flatMap((one, at) => VARIABLES.slice(at + 1).map((other) => [one, other] as const));
test.each(PAIRS)('%s and %s that name one port end the start at once', async (one, other) => {
  const port = String(await freePort());
  const config = loadConfig({ ...HERE, ...ZEROS, [one]: port, [other]: port });
  const rejected = expect(choosePorts(config)).rejects;
  await rejected.toThrow(new RegExp(`(${one} and ${other}|${other} and ${one}) are both ${port}\\. Set one of them`));
  // Nothing is held on to.
  await choosePorts(loadConfig({ ...HERE, ...ZEROS, [one]: port }));
});

test('one port at two addresses is two ports', async () => {
  const port = String(await freePort());
  const config = loadConfig({ ...HERE, ...ZEROS, MQTT_HOST: '127.0.0.2', API_PORT: port, MQTT_PORT: port });
  const { api, mqtt } = await choosePorts(config);
  expect([api.port, mqtt.port]).toEqual([Number(port), Number(port)]);
});
