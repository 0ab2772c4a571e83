import { Agent, request } from 'node:https';
import { connect as connectTcp, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import { describeTimeout, scaleTimeLimitMs } from '../time-limits.ts';

/** Address of a server, always on the loopback interface. */
export interface ServerAddress {
  host: string;
  port: number;
}

export interface HttpResponse {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  bytes: Buffer;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a response can have any form; each probe checks the form
  json: any;
}

export interface RequestOptions {
  key?: string | undefined;
  body?: unknown;
  /** Raw body, sent unchanged instead of `body`. */
  raw?: string | Buffer;
  headers?: Record<string, string>;
  /** Loopback address from which the request is sent. */
  from?: string;
  /** Whether the client discards the response body without parsing it, because parsing would distort the measured times. */
  isDiscarded?: boolean;
}

/** Maximum time to wait for a response, in ms. */
const MAX_ANSWER_MS = 60_000;
/**
 * Certificates are not verified: the installation has a self-signed certificate, and no other program listens at its loopback addresses.
 */
const TRUST = { rejectUnauthorized: false } as const;
const agent = new Agent({ keepAlive: true, maxSockets: 400, ...TRUST });

/** Sends a request to an API. Rejects if the connection ends without a response. */
export function sendRequest(
  to: ServerAddress,
  method: string,
  path: string,
  sent: RequestOptions = {},
): Promise<HttpResponse> {
  const { key, body, raw, headers, from } = sent;
  const data = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  const typed = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(data ?? '') };
  const all = {
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    ...(data === undefined ? {} : typed),
    ...headers,
  };
  return new Promise((resolve, reject) => {
    const options = { ...to, path, method, headers: all, agent, servername: 'localhost', ...TRUST };
    const asked = request({ ...options, ...(from === undefined ? {} : { localAddress: from }) }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => sent.isDiscarded || chunks.push(chunk));
      response.on('error', reject);
      const { statusCode: status = 0, headers: answerHeaders } = response;
      const answer = () =>
        resolve({
          status,
          headers: answerHeaders,
          ...bodyOf(Buffer.concat(chunks), String(answerHeaders['content-type'])),
        });
      response.on('end', answer);
      // An event stream does not end by itself, so its first chunk is the response.
      if (String(answerHeaders['content-type']).startsWith('text/event-stream') && method !== 'HEAD')
        response.once('data', () => {
          answer();
          response.destroy();
        });
    });
    asked.setTimeout(scaleTimeLimitMs(MAX_ANSWER_MS), () =>
      asked.destroy(new Error(describeTimeout('no answer', MAX_ANSWER_MS))),
    );
    asked.on('error', reject);
    asked.end(data);
  });
}

function bodyOf(bytes: Buffer, type: string): Pick<HttpResponse, 'bytes' | 'text' | 'json'> {
  const text = bytes.toString();
  try {
    return { bytes, text, json: /json/.test(type) && text !== '' ? JSON.parse(text) : null };
  } catch {
    return { bytes, text, json: null };
  }
}

/** Opens a TCP or TLS connection on which no HTTP request is sent. Errors of the connection are ignored: it just ends. */
export function openSocket(to: ServerAddress, layer: 'tcp' | 'tls', options: ConnectionOptions = {}): Socket {
  const socket = layer === 'tcp' ? connectTcp(to) : connectTls({ ...to, ...TRUST, ...options });
  socket.on('error', () => {});
  return socket;
}

/** Returns how long the server left a connection open, in ms; null if it stayed open for `withinMs`. */
export function measureMsUntilClosed(socket: Socket, withinMs: number): Promise<number | null> {
  const fromMs = performance.now();
  socket.resume();
  return new Promise((resolve) => {
    const done = (ms: number | null) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(ms);
    };
    const timer = setTimeout(() => done(null), withinMs);
    socket.once('close', () => done(performance.now() - fromMs));
  });
}

/** Sends bytes unchanged. Returns the bytes received until the connection ended or `withinMs` had passed. */
export function sendBytesAndReadResponse(
  to: ServerAddress,
  layer: 'tcp' | 'tls',
  bytes: string | Buffer,
  withinMs = 30_000,
): Promise<HttpResponse> {
  const socket = openSocket(to, layer);
  socket.write(bytes);
  const chunks: Buffer[] = [];
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      socket.destroy();
      const [head = '', ...rest] = Buffer.concat(chunks).toString().split('\r\n\r\n');
      const [line = '', ...lines] = head.split('\r\n');
      const headers = Object.fromEntries(
        lines.map((one) => [one.slice(0, one.indexOf(':')).toLowerCase(), one.slice(one.indexOf(':') + 1).trim()]),
      );
      const status = Number(/^HTTP\/1\.\d (\d{3})/.exec(line)?.[1] ?? 0);
      resolve({ status, headers, ...bodyOf(Buffer.from(rest.join('\r\n\r\n')), String(headers['content-type'])) });
    };
    const timer = setTimeout(done, withinMs);
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.once('close', done);
  });
}
