import { createPrivateKey, X509Certificate } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { connect, isIP } from 'node:net';
import { join } from 'node:path';
import { tryBrokerLogin } from '#ingest/source/try-broker.ts';
import { formatHostAndPort, getLocalHost, maskUrl, stripBrackets } from '#src/config/addresses.ts';
import type { Config } from '#src/config/load.ts';
import { withTimeout } from '#src/core/timeout.ts';
import { isCertificateRenewedByService } from '#src/start/certificate.ts';
import { isPortFree } from '#src/start/ports.ts';
import type { BrokerFacts, CertificateFacts, FactOrReason, PortFacts } from '../facts.ts';

/** Connects to the broker: to MQTT_URL with its user name and password, or to the port of the embedded broker. */
export async function gatherBrokerFacts({ mqtt }: Config): Promise<BrokerFacts | null> {
  const { url } = mqtt;
  const reached = { reached: true } as const;
  if (url !== undefined)
    return {
      shown: maskUrl(url),
      isEmbedded: false,
      reached: await probeWithTimeout(async () => {
        await tryBrokerLogin(url, PROBE_TIMEOUT_MS);
        return reached;
      }),
    };
  // Port 0: the system chooses the port at each start, so it is unknown.
  if (mqtt.port === 0) return null;
  const host = getLocalHost(mqtt.host);
  return {
    shown: formatHostAndPort(host, mqtt.port),
    isEmbedded: true,
    reached: await probeWithTimeout(async () => {
      await opens(host, mqtt.port);
      return reached;
    }),
  };
}

const opens = (host: string, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host, port, timeout: PROBE_TIMEOUT_MS });
    socket.once('connect', () => {
      socket.destroy();
      resolve();
    });
    socket.once('timeout', () => {
      socket.destroy();
      reject(new Error('no response'));
    });
    socket.once('error', reject);
  });

/** Reads the certificate and the key that the service uses. Never creates them. */
export async function gatherCertificateFacts(config: Config): Promise<CertificateFacts> {
  const { tls, dataDir, publicUrl, mqtt, api } = config;
  const isOurs = tls.certFile === undefined;
  const file = tls.certFile ?? join(dataDir, 'tls', 'cert.pem');
  const keyFile = tls.keyFile ?? join(dataDir, 'tls', 'key.pem');
  if (isOurs && !existsSync(file)) return { file, isOurs, pair: null };
  const pair = await probeWithTimeout(async () => {
    const certificate = new X509Certificate(await readFile(file));
    const key = createPrivateKey(await readFile(keyFile));
    const names = (host: string) =>
      (isIP(host) ? certificate.checkIP(host) : certificate.checkHost(host)) !== undefined;
    const hosts = [
      // Behind a proxy, clients of PUBLIC_URL see the proxy's certificate, so the host is not checked.
      ...(api.trustProxy.length > 0 ? [] : [{ host: stripBrackets(new URL(publicUrl).hostname), of: 'PUBLIC_URL' }]),
      ...(mqtt.url === undefined ? [{ host: mqtt.publicHost, of: 'PUBLIC_MQTT_HOST' }] : []),
    ];
    return {
      validFromMs: certificate.validFromDate.getTime(),
      validToMs: certificate.validToDate.getTime(),
      renewsItself: isCertificateRenewedByService(config, certificate),
      keyFits: certificate.checkPrivateKey(key),
      hosts: hosts.map((one) => ({ ...one, isNamed: names(one.host) })),
    };
  });
  return { file, isOurs, pair };
}

/** Maximum size in bytes of a response with the latest version, which may contain release notes. */
const MAX_ANSWER_BYTES = 2 ** 20;

/**
 * Requests the latest version. `releases`: a URL of the npm registry (response member `version`) or of GitHub (response member `tag_name`).
 */
export function fetchLatestVersion(releases: URL): Promise<FactOrReason<{ version: string }>> {
  return probeWithTimeout(async () => {
    const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS);
    const response = await fetch(releases, { signal, headers: { accept: 'application/json' } }).catch((error) => {
      throw error.cause ?? error;
    });
    if (!response.ok) throw new Error(`the response has the status ${response.status}`);
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of response.body ?? []) {
      bytes += chunk.length;
      if (bytes > MAX_ANSWER_BYTES) throw new Error('the response is longer than 1 MiB');
      chunks.push(chunk);
    }
    return { version: readVersion(Buffer.concat(chunks).toString()) };
  });
}

function readVersion(text: string): string {
  try {
    const { version, tag_name: tag } = JSON.parse(text);
    const [, found] = VERSION_FORM.exec(String(version ?? tag)) ?? [];
    if (found !== undefined) return found;
  } catch {
    // The response is not JSON or is null.
  }
  throw new Error('the response has no member "version" or "tag_name" that is a version');
}

const VERSION_FORM = /^v?(\d{1,9}\.\d{1,9}\.\d{1,9}(?:-[0-9A-Za-z.-]{1,60})?)$/;

/** Returns, for each port of the service, whether it is free and, if not, which process uses it. */
export async function gatherPortFacts({ api, mqtt, operator }: Config): Promise<PortFacts[]> {
  const wanted = [
    { variable: 'API_PORT', port: api.port, host: api.host },
    { variable: 'HTTP_PORT', port: api.httpPort, host: api.host },
    ...(mqtt.url === undefined
      ? [
          { variable: 'MQTT_PORT', port: mqtt.port, host: mqtt.host },
          { variable: 'MQTTS_PORT', port: mqtt.tlsPort, host: mqtt.tlsHost },
        ]
      : []),
    ...(operator.port === null ? [] : [{ variable: 'OPERATOR_PORT', port: operator.port, host: operator.host }]),
  ];
  // Port 0 means that the system chooses a free port at each start.
  return Promise.all(wanted.filter(({ port }) => port !== 0).map(stateOf));
}

async function stateOf(wanted: { variable: string; port: number; host: string }): Promise<PortFacts> {
  try {
    if (await isPortFree(wanted.host, wanted.port)) return { ...wanted, state: 'free', holder: null };
  } catch (error) {
    return { ...wanted, state: 'unusable', holder: null, why: (error as Error).message };
  }
  return { ...wanted, state: 'taken', holder: listenerOn(wanted.port) };
}

const LISTENING = '0A';

/** Returns the process that listens on a TCP port of this machine, from /proc. Null if unknown. */
function listenerOn(port: number): { pid: number; title: string } | null {
  const sockets = new Set(['tcp', 'tcp6'].flatMap((table) => socketsOn(port, table)));
  if (sockets.size === 0) return null;
  for (const pid of entries('/proc').filter((name) => /^\d+$/.test(name))) {
    const has = entries(`/proc/${pid}/fd`).some((fd) => sockets.has(linkOf(`/proc/${pid}/fd/${fd}`)));
    if (has) return { pid: Number(pid), title: titleOf(pid) };
  }
  return null;
}

/** Returns the sockets that listen on a port, as they appear in the open files of a process in /proc. */
const socketsOn = (port: number, table: string): string[] =>
  textOf(`/proc/net/${table}`)
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(
      ([, local = '', , state]) => state === LISTENING && Number.parseInt(local.split(':').at(-1) ?? '', 16) === port,
    )
    .map((fields) => `socket:[${fields[9]}]`);

const titleOf = (pid: string): string => textOf(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim().slice(0, 200);

// Returns the text of a file. Empty if the file no longer exists or belongs to another user.
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function entries(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

/** Maximum time in ms to wait for a response of another program. */
export const PROBE_TIMEOUT_MS = 5_000;

/** Returns the result of `look`, or the reason for its failure or time-out. Never throws. */
export async function probeWithTimeout<T extends object>(
  look: () => Promise<T>,
  ms = PROBE_TIMEOUT_MS,
): Promise<FactOrReason<T>> {
  const looked = (async () => look())();
  return withTimeout(looked, ms, `no response within ${ms / 1_000} s`).catch(unseen);
}

/** Describes a network error in one line. */
function unseen(error: unknown): { why: string; code?: string } {
  const { code, message, errors } = error as { code?: unknown; message?: unknown; errors?: { message?: string }[] };
  const why = String(message || errors?.map((one) => one.message).join(', ') || code || error).split('\n')[0] ?? '';
  return typeof code === 'string' ? { why, code } : { why };
}
