import { readFileSync } from 'node:fs';
import { generate } from 'selfsigned';
import { createTemporaryFolder, type RoleProcess, startRole } from '../service.ts';
import { findFreeIngestPorts, type HAProxy, type ProxiedIngest, startHAProxy } from './haproxy.ts';

/** Maximum time that a stopping process has to move its connections to the other process. */
const DRAIN_SECONDS = 6;

/** One of the two ingest processes. Its ports never change. */
interface PairedIngest {
  ports: ProxiedIngest;
  pid(): number;
  start(): Promise<void>;
  kill(): Promise<void>;
  /** Sends SIGTERM to the process. Resolves with its exit code. */
  stop(): Promise<number | null>;
  signal(name: 'SIGSTOP' | 'SIGCONT'): void;
}

/** Two ingest processes with the embedded broker, with one database, behind HAProxy. */
export interface IngestPair {
  proxy: HAProxy;
  processes: readonly [PairedIngest, PairedIngest];
  remove(): Promise<void>;
}

/**
 * Starts two ingest processes and HAProxy. `clientCa`: path of the CA certificate (PEM) of the clients. `env`: additional environment
 * variables.
 */
export async function startIngestPair({
  url,
  clientCa,
  env = {},
}: {
  url: string;
  clientCa?: string;
  env?: Record<string, string>;
}): Promise<IngestPair> {
  const undo: (() => Promise<unknown>)[] = [];
  const remove = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  const make = async (): Promise<PairedIngest> => {
    const folder = await createTemporaryFolder();
    undo.push(() => folder.remove());
    const ports = await findFreeIngestPorts();
    let running: RoleProcess | undefined;
    undo.push(async () => {
      running?.process.kill('SIGCONT');
      await running?.kill();
    });
    return {
      ports,
      pid: () => running?.process.pid ?? 0,
      async start() {
        running = await startRole('ingest', {
          DATABASE_URL: url,
          DATA_DIR: folder.path,
          MQTT_PORT: String(ports.mqtt),
          OPERATOR_PORT: String(ports.operator),
          TRUST_PROXY: '127.0.0.1',
          DRAIN_SECONDS: String(DRAIN_SECONDS),
          LOG_LEVEL: 'error',
          ...(clientCa === undefined ? {} : { MQTTS_CLIENT_CA_FILE: clientCa }),
          ...env,
        });
      },
      kill: async () => running?.kill(),
      stop: async () => (await running?.stop()) ?? null,
      signal: (name) => void running?.process.kill(name),
    };
  };
  try {
    const processes = [await make(), await make()] as const;
    // The first process migrates the database before the second one starts.
    for (const one of processes) await one.start();
    const pair = await generate([{ name: 'commonName', value: 'localhost' }], { keyType: 'ec', algorithm: 'sha256' });
    const proxy = await startHAProxy({
      tls: { cert: pair.cert, key: pair.private },
      api: [1, 1],
      ingest: [processes[0].ports, processes[1].ports],
      ...(clientCa === undefined ? {} : { clientCa: readFileSync(clientCa, 'utf8') }),
    });
    undo.push(() => proxy.stop());
    return { proxy, processes, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
