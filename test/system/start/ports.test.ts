import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { loadConfig } from '#src/config/load.ts';
import { choosePorts } from '#src/start/ports.ts';

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
