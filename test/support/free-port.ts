import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * A TCP port that nobody listens on. Below those that systems give to clients (Linux: from 32768): a service that is
 * stopped and started again would find one of them taken by somebody's connection.
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
