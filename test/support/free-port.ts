import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** First port that tests use. All ports of tests are below 32768, because Linux assigns higher ports to clients. */
const FIRST_PORT = 10_000;
const PORTS_OF_WORKER = 2_200;
const WORKERS = 10;

/** First port of this vitest worker, which has its own range of ports and uses them in turn. */
const firstPort = FIRST_PORT + (Number(process.env.VITEST_POOL_ID ?? 0) % WORKERS) * PORTS_OF_WORKER;
let offset = randomInt(PORTS_OF_WORKER);

/** Returns a free TCP port that no other concurrent test gets. */
export async function findFreePort(): Promise<number> {
  for (;;) {
    offset = (offset + 1) % PORTS_OF_WORKER;
    const port = firstPort + offset;
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
