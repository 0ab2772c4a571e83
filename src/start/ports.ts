import { randomBytes, randomInt } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import {
  type Config,
  getListenAddressVariables,
  getNonEmptyVariables,
  loadConfig,
  setApiPort,
} from '#src/config/load.ts';
import { findServiceProcessId } from './data-dir-lock.ts';

/**
 * Range of the ports that the service chooses. It lies below the ephemeral ports of clients, so that no outgoing connection takes a port.
 */
const CHOSEN = { from: 10_000, below: 32_768 };

interface Listener {
  variable: 'HTTP_PORT' | 'API_PORT' | 'MQTT_PORT' | 'MQTTS_PORT';
  role: 'api' | 'ingest';
  host: string;
  port: number;
}

/** Returns the ports on which the service listens for clients. With an external broker, it has no port for devices. */
function listenersOf({ api, mqtt }: Config): Listener[] {
  const forClients: Listener[] = [
    { variable: 'HTTP_PORT', role: 'api', host: api.host, port: api.httpPort },
    { variable: 'API_PORT', role: 'api', host: api.host, port: api.port },
  ];
  if (mqtt.url) return forClients;
  return [
    ...forClients,
    { variable: 'MQTT_PORT', role: 'ingest', host: mqtt.host, port: mqtt.port },
    { variable: 'MQTTS_PORT', role: 'ingest', host: mqtt.tlsHost, port: mqtt.tlsPort },
  ];
}

/**
 * Throws if a configured port is in use or configured twice, because the supervisor would otherwise restart the failing processes again and
 * again. `role`: checks only the ports of this role.
 */
export async function assertPortsFree(config: Config, role?: string): Promise<void> {
  const fixedListeners = listenersOf(config).filter(
    (one) => one.port !== 0 && (role === undefined || one.role === role),
  );
  // Each port remains bound until all ports are checked, so that two variables with the same port are detected.
  const held: { variable: string; port: number; server: Server }[] = [];
  try {
    for (const { variable, host, port } of fixedListeners) {
      const server = await listenOn(host, port);
      const other = held.find((one) => one.port === port)?.variable;
      if (!server && other)
        throw new Error(`${other} and ${variable} are both ${port}. Set one of them to another port.`);
      if (!server)
        throw new Error(`Port ${port} is in use. Stop the program that uses it, or set ${variable} to another port.`);
      held.push({ variable, port, server });
    }
  } finally {
    await Promise.all(held.map(({ server }) => closed(server)));
  }
}

/** Returns the configuration with each port 0 replaced by a free port. A process that is restarted later uses the same port. */
export async function chooseFreePorts(config: Config): Promise<Config> {
  const { api, mqtt, operator } = config;
  const taken = new Set<number | null>([api.port, api.httpPort, mqtt.port, mqtt.tlsPort, operator.port]);
  const chosen = async (given: number, host: string) => (given === 0 ? freePort(host, taken) : given);
  const httpPort = await chosen(api.httpPort, api.host);
  const port = await chosen(mqtt.port, mqtt.host);
  const tlsPort = await chosen(mqtt.tlsPort, mqtt.tlsHost);
  const apiPort = await chosen(api.port, api.host);
  return setApiPort({ ...config, api: { ...api, httpPort }, mqtt: { ...mqtt, port, tlsPort } }, apiPort);
}

async function freePort(host: string, taken: Set<number | null>): Promise<number> {
  for (;;) {
    const port = randomInt(CHOSEN.from, CHOSEN.below);
    if (taken.has(port) || !(await isPortFree(host, port))) continue;
    taken.add(port);
    return port;
  }
}

/** Whether the port is free. Throws if listening is not possible for another reason. */
export async function isPortFree(host: string, port: number): Promise<boolean> {
  const server = await listenOn(host, port);
  if (server) await closed(server);
  return server !== null;
}

/** Listens on a port and returns the server. Null if another process listens on the port. */
function listenOn(host: string, port: number): Promise<Server | null> {
  const server = createServer((socket) => socket.destroy());
  return new Promise((resolve, reject) => {
    // Any other error does not mean that the port is in use. Example: the address does not belong to this machine.
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(null) : reject(error),
    );
    server.listen(port, host, () => resolve(server));
  });
}

const closed = (server: Server): Promise<unknown> => new Promise((resolve) => server.close(resolve));

const fileIn = (dataDir: string): string => join(dataDir, 'listening.json');

/**
 * Writes the ports and addresses of the running service to a file in its data directory, in the form of environment variables. Returns a
 * function that removes the file.
 */
export function writeListeningAddresses(config: Config): () => void {
  const file = fileIn(config.dataDir);
  const mine = `${file}.${randomBytes(8).toString('hex')}`;
  writeFileSync(mine, `${JSON.stringify(getListenAddressVariables(config), null, 2)}\n`, { flag: 'wx', mode: 0o600 });
  // The file is renamed after writing, so that readers never see a partial file.
  renameSync(mine, file);
  return () => rmSync(file, { force: true });
}

/**
 * Returns the configuration for a command that runs next to the service. Missing ports and addresses are taken from the running service.
 * Throws a ConfigError.
 */
export function loadConfigOfRunningService(env?: Record<string, string | undefined>): Config {
  const variables = getNonEmptyVariables(env);
  const config = loadConfig(variables);
  // If the service is not running, its file with the addresses is out of date: the service was killed before it could remove the file.
  if (findServiceProcessId(config.dataDir) === null) return config;
  return loadConfig({ ...readListening(config.dataDir), ...variables });
}

/** Returns the addresses of the running service, if known. */
function readListening(dataDir: string): Record<string, string> {
  try {
    return JSON.parse(readFileSync(fileIn(dataDir), 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new Error(`${fileIn(dataDir)} cannot be read: ${(error as Error).message}. The next start writes it again.`);
  }
}
