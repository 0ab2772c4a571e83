import { randomBytes, randomInt } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { type Config, givenVariables, listeningVariables, loadConfig, withApiPort } from '#src/config/load.ts';
import { runningOn } from './data-dir-lock.ts';

/** Below those that systems give to clients (Linux: from 32768): no connection of the roles takes one while its role starts again. */
const CHOSEN = { from: 10_000, below: 32_768 };

interface Listener {
  variable: 'HTTP_PORT' | 'API_PORT' | 'MQTT_PORT' | 'MQTTS_PORT';
  role: 'api' | 'ingest';
  host: string;
  port: number;
}

/** Where the service listens for clients. With a broker of its own nobody listens for devices. */
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
 * Throws if a port that is given is in use, or given twice: the roles would be started again and again, and the start fail half a minute
 * later for another reason. `role`: looks at the ports of this role alone. Binds each port for a moment, and changes nothing else.
 */
export async function refuseTakenPorts(config: Config, role?: string): Promise<void> {
  const given = listenersOf(config).filter((one) => one.port !== 0 && (role === undefined || one.role === role));
  // Held until all are looked at: two variables may name the same port.
  const held: { variable: string; port: number; server: Server }[] = [];
  try {
    for (const { variable, host, port } of given) {
      const server = await listenOn(host, port);
      const other = held.find((one) => one.port === port)?.variable;
      if (!server && other)
        throw new Error(`${other} and ${variable} are both ${port}. Set one of them to another port.`);
      if (!server)
        throw new Error(`Port ${port} is in use. Stop what listens there, or set ${variable} to another port.`);
      held.push({ variable, port, server });
    }
  } finally {
    await Promise.all(held.map(({ server }) => closed(server)));
  }
}

/**
 * The configuration with a free port in place of each 0: what is printed, mailed and told to devices then names the ports
 * that the roles listen on, and a role that is started again has the one that it had.
 */
export async function choosePorts(config: Config): Promise<Config> {
  const { api, mqtt, operator } = config;
  const taken = new Set<number | null>([api.port, api.httpPort, mqtt.port, mqtt.tlsPort, operator.port]);
  const chosen = async (given: number, host: string) => (given === 0 ? freePort(host, taken) : given);
  const httpPort = await chosen(api.httpPort, api.host);
  const port = await chosen(mqtt.port, mqtt.host);
  const tlsPort = await chosen(mqtt.tlsPort, mqtt.tlsHost);
  const apiPort = await chosen(api.port, api.host);
  return withApiPort({ ...config, api: { ...api, httpPort }, mqtt: { ...mqtt, port, tlsPort } }, apiPort);
}

/** A port that nobody listens on; it is added to those that are `taken`. */
async function freePort(host: string, taken: Set<number | null>): Promise<number> {
  for (;;) {
    const port = randomInt(CHOSEN.from, CHOSEN.below);
    if (taken.has(port) || !(await canListen(host, port))) continue;
    taken.add(port);
    return port;
  }
}

/** Whether nobody listens there. Throws where it is no address of this machine, or not allowed. */
export async function canListen(host: string, port: number): Promise<boolean> {
  const server = await listenOn(host, port);
  if (server) await closed(server);
  return server !== null;
}

/** Null if somebody else listens there. */
function listenOn(host: string, port: number): Promise<Server | null> {
  const server = createServer((socket) => socket.destroy());
  return new Promise((resolve, reject) => {
    // An address that is not this machine's is no matter of the port.
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(null) : reject(error),
    );
    server.listen(port, host, () => resolve(server));
  });
}

const closed = (server: Server): Promise<unknown> => new Promise((resolve) => server.close(resolve));

const fileIn = (dataDir: string): string => join(dataDir, 'listening.json');

/**
 * Writes where the running service listens, and what it tells devices, into its data directory, as the variables that say so. Who
 * holds the directory may. Returns how to take it back.
 */
export function writeListening(config: Config): () => void {
  const file = fileIn(config.dataDir);
  const mine = `${file}.${randomBytes(8).toString('hex')}`;
  writeFileSync(mine, `${JSON.stringify(listeningVariables(config), null, 2)}\n`, { flag: 'wx', mode: 0o600 });
  // Whole at any moment.
  renameSync(mine, file);
  return () => rmSync(file, { force: true });
}

/**
 * The configuration of a command beside the service: where the environment says nothing, that of the service which runs on the data directory. The demo
 * listens elsewhere than the defaults say, and 0 is another port at each start. Throws a ConfigError as loadConfig does.
 */
export function loadConfigBeside(env?: Record<string, string | undefined>): Config {
  const given = givenVariables(env);
  const config = loadConfig(given);
  // One that was killed leaves its file behind.
  if (runningOn(config.dataDir) === null) return config;
  return loadConfig({ ...readListening(config.dataDir), ...given });
}

/** Nothing where the service is of a version before, or has only begun. */
function readListening(dataDir: string): Record<string, string> {
  try {
    return JSON.parse(readFileSync(fileIn(dataDir), 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new Error(`${fileIn(dataDir)} cannot be read: ${(error as Error).message}. The next start writes it anew.`);
  }
}
