import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Returns a free TCP port. It is below the ports that systems give to clients (Linux: from 32768), because a client's connection could take
 * such a port while a service is restarted.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 32_768);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}
