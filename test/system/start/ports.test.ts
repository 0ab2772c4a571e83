import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from '#src/config/load.ts';
import { assertPortsFree, chooseFreePorts } from '#src/start/ports.ts';
import { findFreePort } from '#test/support/free-port.ts';
import { TESTED_PROGRAM } from '#test/support/program.ts';
import { createTemporaryFolder } from '#test/support/service.ts';

/** Listens on a port, so that it is in use. `free` closes the port again. */
async function takenPort(): Promise<{ port: number; free(): Promise<unknown> }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { port, free: () => new Promise((done) => server.close(done)) };
}

test('randomly chosen ports are never ones that the system assigns to other connections meanwhile', async () => {
  const [lowest = 0] = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').split('\t').map(Number);
  const zeros = { API_PORT: '0', HTTP_PORT: '0', MQTT_PORT: '0', MQTTS_PORT: '0' };
  for (let round = 0; round < 20; round++) {
    const { api, mqtt } = await chooseFreePorts(loadConfig(zeros));
    const chosen = [api.port, api.httpPort, mqtt.port, mqtt.tlsPort];
    expect(new Set(chosen).size).toBe(4);
    expect(Math.max(...chosen)).toBeLessThan(lowest);
  }
});

const VARIABLES = ['API_PORT', 'HTTP_PORT', 'MQTT_PORT', 'MQTTS_PORT'] as const;
const HERE = { API_HOST: '127.0.0.1', MQTT_HOST: '127.0.0.1', MQTTS_HOST: '127.0.0.1' };
const ZEROS = Object.fromEntries(VARIABLES.map((name) => [name, '0']));

test.each(VARIABLES)('reports a port in use with the port and %s', async (variable) => {
  const { port, free } = await takenPort();
  const config = loadConfig({ ...HERE, ...ZEROS, [variable]: String(port) });
  const message = `Port ${port} is in use. Stop the program that uses it, or set ${variable} to another port.`;
  await expect(assertPortsFree(config)).rejects.toThrow(message);
  // A role checks only the ports that it uses itself.
  const isOfApi = variable === 'API_PORT' || variable === 'HTTP_PORT';
  await expect(assertPortsFree(config, isOfApi ? 'api' : 'ingest')).rejects.toThrow(message);
  await assertPortsFree(config, isOfApi ? 'ingest' : 'api');
  await free();
  await assertPortsFree(config);
});

// The database is unreachable. If the command connected to it before it checked the ports, it would fail with another message.
test.each(['start', 'demo', 'api', 'ingest'])(
  'energy %s reports a port in use before it does anything',
  async (command) => {
    const [{ port, free }, folder] = await Promise.all([takenPort(), createTemporaryFolder()]);
    const dataDir = join(folder.path, 'data');
    const env = {
      PATH: process.env.PATH,
      TMPDIR: process.env.TMPDIR,
      ...{ DATA_DIR: dataDir, DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none', OPERATOR_PORT: '0' },
      ...{ ...HERE, ...ZEROS, [command === 'ingest' ? 'MQTT_PORT' : 'API_PORT']: String(port) },
    };
    const { status, stderr } = spawnSync(process.execPath, [TESTED_PROGRAM, command], {
      env,
      encoding: 'utf8',
      timeout: 300_000,
    });
    expect([status, stderr.trim()]).toEqual([
      1,
      expect.stringMatching(new RegExp(`^(Error: )?Port ${port} is in use\\. .*$`)),
    ]);
    expect(existsSync(dataDir)).toBe(false);
    await free();
    await folder.remove();
  },
);

const PAIRS = VARIABLES.flatMap((one, at) => VARIABLES.slice(at + 1).map((other) => [one, other] as const));
test.each(PAIRS)('rejects %s and %s with the same port', async (one, other) => {
  const port = String(await findFreePort());
  const config = loadConfig({ ...HERE, ...ZEROS, [one]: port, [other]: port });
  const rejected = expect(assertPortsFree(config)).rejects;
  await rejected.toThrow(new RegExp(`(${one} and ${other}|${other} and ${one}) are both ${port}\\. Set one of them`));
  // After the check, none of the checked ports is open.
  await assertPortsFree(loadConfig({ ...HERE, ...ZEROS, [one]: port }));
});

test('treats one port at two addresses as two ports', async () => {
  const port = String(await findFreePort());
  const config = loadConfig({ ...HERE, ...ZEROS, MQTT_HOST: '127.0.0.2', API_PORT: port, MQTT_PORT: port });
  await assertPortsFree(config);
  const { api, mqtt } = await chooseFreePorts(config);
  expect([api.port, mqtt.port]).toEqual([Number(port), Number(port)]);
});
