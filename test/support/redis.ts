import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { findFreePort } from './free-port.ts';
import { waitUntilReachable } from './mosquitto.ts';

/** A Redis server that a test has started on a free loopback port, without persistence. */
export interface TestRedis {
  url: string;
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Deletes all keys. */
  flush(): Promise<void>;
}

/** Starts redis-server. If it is not installed, throws an error with instructions. */
export async function startRedis(): Promise<TestRedis> {
  if (spawnSync('redis-server', ['--version']).error) {
    throw new Error(
      'redis-server is not installed; on Debian: apt-get install redis-server (npm run test:setup does so)',
    );
  }
  const port = await findFreePort();
  let child: ChildProcess;
  const redis = {
    url: `redis://127.0.0.1:${port}`,
    async start() {
      const settings = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
      child = spawn('redis-server', settings, { stdio: 'ignore' });
      await waitUntilReachable(port);
    },
    async flush() {
      spawnSync('redis-cli', ['-p', String(port), 'flushall']);
    },
    async stop() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await ended;
    },
  };
  await redis.start();
  return redis;
}
