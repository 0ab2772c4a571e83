import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { type Config, withApiPort } from '#src/config/load.ts';

/** Below those that systems give to clients (Linux: from 32768): no connection of the roles takes one while its role starts again. */
const CHOSEN = { from: 10_000, below: 32_768 };

/**
 * The configuration with a free port in place of each 0: what is printed, mailed and told to devices then names the ports
 * that the roles listen on, and a role that is started again has the one that it had. Throws if somebody listens on a port that is given: the
 * roles would be started again and again, and the start fail half a minute later for another reason.
 */
export async function choosePorts(config: Config): Promise<Config> {
  const { api, mqtt, operator } = config;
  const taken = new Set<number | null>([api.port, api.httpPort, mqtt.port, mqtt.tlsPort, operator.port]);
  const portOn = async (given: number, host: string, variable: string) => {
    if (given === 0) return freePort(host, taken);
    if (await canListen(host, given)) return given;
    throw new Error(`Port ${given} is in use. Stop what listens there, or set ${variable} to another port.`);
  };
  // With a broker of its own nobody listens there.
  const mqttPortOn: typeof portOn = (given, ...at) =>
    mqtt.url && given !== 0 ? Promise.resolve(given) : portOn(given, ...at);
  const httpPort = await portOn(api.httpPort, api.host, 'HTTP_PORT');
  const port = await mqttPortOn(mqtt.port, mqtt.host, 'MQTT_PORT');
  const tlsPort = await mqttPortOn(mqtt.tlsPort, mqtt.tlsHost, 'MQTTS_PORT');
  const chosen = { ...config, api: { ...api, httpPort }, mqtt: { ...mqtt, port, tlsPort } };
  return withApiPort(chosen, await portOn(api.port, api.host, 'API_PORT'));
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
  const server = createServer();
  const isFree = await new Promise<boolean>((resolve, reject) => {
    // An address that is not this machine's is no matter of the port.
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(false) : reject(error),
    );
    server.listen(port, host, () => resolve(true));
  });
  if (isFree) await new Promise((resolve) => server.close(resolve));
  return isFree;
}
