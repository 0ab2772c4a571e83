import { randomInt } from 'node:crypto';
import { createServer, type Server } from 'node:net';
import { type Config, withApiPort } from '#src/config/load.ts';

/** Below those that systems give to clients (Linux: from 32768): no connection of the roles takes one while its role starts again. */
const CHOSEN = { from: 10_000, below: 32_768 };

/**
 * The configuration with a free port in place of each 0: what is printed, mailed and told to devices then names the ports
 * that the roles listen on, and a role that is started again has the one that it had. Throws if a port that is given is in use or given twice: the
 * roles would be started again and again, and the start fail half a minute later for another reason.
 */
export async function choosePorts(config: Config): Promise<Config> {
  const { api, mqtt, operator } = config;
  const taken = new Set<number | null>([api.port, api.httpPort, mqtt.port, mqtt.tlsPort, operator.port]);
  // Held until all are chosen: two variables may name the same port.
  const held: { variable: string; port: number; server: Server }[] = [];
  const portOn = async (given: number, host: string, variable: string) => {
    if (given === 0) return freePort(host, taken);
    const server = await listenOn(host, given);
    const other = held.find(({ port }) => port === given)?.variable;
    if (!server && other)
      throw new Error(`${other} and ${variable} are both ${given}. Set one of them to another port.`);
    if (!server)
      throw new Error(`Port ${given} is in use. Stop what listens there, or set ${variable} to another port.`);
    held.push({ variable, port: given, server });
    return given;
  };
  // With a broker of its own nobody listens there.
  const mqttPortOn: typeof portOn = (given, ...at) =>
    mqtt.url && given !== 0 ? Promise.resolve(given) : portOn(given, ...at);
  try {
    const httpPort = await portOn(api.httpPort, api.host, 'HTTP_PORT');
    const port = await mqttPortOn(mqtt.port, mqtt.host, 'MQTT_PORT');
    const tlsPort = await mqttPortOn(mqtt.tlsPort, mqtt.tlsHost, 'MQTTS_PORT');
    const chosen = { ...config, api: { ...api, httpPort }, mqtt: { ...mqtt, port, tlsPort } };
    return withApiPort(chosen, await portOn(api.port, api.host, 'API_PORT'));
  } finally {
    await Promise.all(held.map(({ server }) => closed(server)));
  }
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
