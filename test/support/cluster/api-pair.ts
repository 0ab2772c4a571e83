import { writeFile } from 'node:fs/promises';
import { type Agent, request } from 'node:https';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { createTestDatabase, type TestDatabase } from '../database.ts';
import { findFreePort } from '../free-port.ts';
import { createTemporaryFolder, type RoleProcess, startRole } from '../service.ts';
import { type HAProxy, startHAProxy } from './haproxy.ts';

const ADMIN_KEY = `eus_live_${'a'.repeat(40)}`;
const SECRET_KEY = 'the secret of this installation';
/** Time that a stopping API process has to move its clients to the other process. */
const DRAIN_SECONDS = 2;

/** Result of a request. `failed`: error of a broken connection. */
interface Came {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  // biome-ignore lint/suspicious/noExplicitAny: a response can have any form; each test asserts the form
  json: any;
  failed?: string;
}

interface Asked {
  method?: string;
  key?: string;
  body?: unknown;
  headers?: Record<string, string>;
  agent?: Agent;
}

/** Two API processes with one database, each with its own data folder, behind HAProxy. */
export interface ApiPair {
  database: TestDatabase;
  proxy: HAProxy;
  adminKey: string;
  /** CA certificate (PEM) of HAProxy and of the processes. */
  ca: string;
  secretKey: string;
  /** Ports of the two processes and of HAProxy. */
  ports: { first: number; second: number; proxy: number };
  /** Sends a request to the port of one process or of HAProxy. Never throws. */
  ask(port: number, path: string, asked?: Asked): Promise<Came>;
  /** Stops a process with SIGTERM and starts a new one, like an upgrade. Returns the exit code of the stopped process. */
  replace(which: 0 | 1): Promise<number | null>;
  /** Sends SIGKILL to both API processes. */
  killBoth(): Promise<void>;
  stop(): Promise<void>;
}

export async function startApiPair({ minute }: { minute: { free: number } }): Promise<ApiPair> {
  const [database, folders, pair] = await Promise.all([
    createTestDatabase(),
    Promise.all([createTemporaryFolder(), createTemporaryFolder()]),
    generate([{ name: 'commonName', value: 'localhost' }], {
      keyType: 'ec',
      algorithm: 'sha256',
      extensions: [
        { name: 'basicConstraints', cA: false, critical: true },
        { name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] },
      ],
    }),
  ]);
  const apiPorts = [await findFreePort(), await findFreePort()] as const;
  const many = { minute: 1_000_000, day: 1_000_000 };
  const start = async (which: 0 | 1) => {
    const dataDir = folders[which].path;
    await Promise.all([
      writeFile(join(dataDir, 'cert.pem'), pair.cert),
      writeFile(join(dataDir, 'key.pem'), pair.private),
    ]);
    return startRole('api', {
      DATABASE_URL: database.url,
      DATA_DIR: dataDir,
      SECRET_KEY,
      TLS_CERT_FILE: join(dataDir, 'cert.pem'),
      TLS_KEY_FILE: join(dataDir, 'key.pem'),
      API_PORT: String(apiPorts[which]),
      TRUST_PROXY: '127.0.0.1',
      DRAIN_SECONDS: String(DRAIN_SECONDS),
      BOOTSTRAP_ADMIN_KEY: ADMIN_KEY,
      PLAN_LIMITS: JSON.stringify({ free: { ...many, minute: minute.free }, developer: many, enterprise: many }),
      LOG_LEVEL: 'error',
    });
  };
  const processes: [RoleProcess, RoleProcess] = await Promise.all([start(0), start(1)]);
  const proxy = await startHAProxy({ tls: { cert: pair.cert, key: pair.private }, api: apiPorts });
  const killBoth = async () => {
    await Promise.all(processes.map(({ kill }) => kill()));
  };
  return {
    database,
    proxy,
    adminKey: ADMIN_KEY,
    ca: pair.cert,
    secretKey: SECRET_KEY,
    ports: { first: apiPorts[0], second: apiPorts[1], proxy: proxy.ports.api },
    ask: (port, path, asked = {}) => sendLoopbackRequest(pair.cert, port, path, asked),
    async replace(which) {
      const code = await processes[which].stop();
      processes[which] = await start(which);
      return code;
    },
    killBoth,
    async stop() {
      await proxy.stop();
      await killBoth();
      await database.drop();
      await Promise.all(folders.map(({ remove }) => remove()));
    },
  };
}

/** Sends a request to a port on the loopback interface. Never throws. `ca`: CA certificate (PEM) of the server. */
export function sendLoopbackRequest(
  ca: string,
  port: number,
  path: string,
  { key, body, agent, ...asked }: Asked,
): Promise<Came> {
  const data = body === undefined ? undefined : JSON.stringify(body);
  const headers = {
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    ...(data === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(data) }),
    ...asked.headers,
  };
  const to = { host: '127.0.0.1', servername: 'localhost', port, path, ca, method: asked.method ?? 'GET' };
  return new Promise((resolve) => {
    const fail = (error: Error) => resolve({ status: 0, headers: {}, json: null, failed: error.message });
    const outgoing = request({ ...to, headers, ...(agent ? { agent } : {}) }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('error', fail);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const isJson = /json/.test(response.headers['content-type'] ?? '') && text !== '';
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          json: isJson ? JSON.parse(text) : null,
        });
      });
    });
    outgoing.on('error', fail);
    outgoing.end(data);
  });
}
