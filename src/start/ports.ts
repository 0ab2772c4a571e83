import { type AddressInfo, createServer } from 'node:net';
import { type Config, withApiPort } from '#src/config/load.ts';

/**
 * The configuration with a free port in place of each 0: what is printed, mailed and told to devices then names the ports
 * that the roles listen on, and a role that is started again has the one that it had.
 */
export async function choosePorts(config: Config): Promise<Config> {
  const { api, mqtt } = config;
  const chosen = {
    ...config,
    api: { ...api, httpPort: api.httpPort || (await freePort(api.host)) },
    mqtt: {
      ...mqtt,
      port: mqtt.port || (await freePort(mqtt.host)),
      tlsPort: mqtt.tlsPort || (await freePort(mqtt.tlsHost)),
    },
  };
  return withApiPort(chosen, api.port || (await freePort(api.host)));
}

async function freePort(host: string): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, host, resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
