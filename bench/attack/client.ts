import { Agent, request } from 'node:https';
import { connect as connectTcp, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import { givenUp, patience } from '../patience.ts';

/** Where something listens: on the loopback, always. */
export interface Address {
  host: string;
  port: number;
}

export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  bytes: Buffer;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: an answer can be anything; a probe says what it should be
  json: any;
}

export interface Sent {
  key?: string | undefined;
  body?: unknown;
  /** Sent as it is, instead of `body`. */
  raw?: string | Buffer;
  headers?: Record<string, string>;
  /** The loopback address that it comes from. */
  from?: string;
  /** The body of the answer is read and forgotten: to parse a megabyte takes the attacker time that it measures. */
  isForgotten?: boolean;
}

/** Longest that an answer may take. */
const MAX_ANSWER_MS = 60_000;
/** The certificate is the installation's own, and what is on the loopback is nobody else. */
const TRUST = { rejectUnauthorized: false } as const;
const agent = new Agent({ keepAlive: true, maxSockets: 400, ...TRUST });

/** Sends a request to an API. Rejects where the connection ends without an answer. */
export function send(to: Address, method: string, path: string, sent: Sent = {}): Promise<Answer> {
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
      response.on('data', (chunk) => sent.isForgotten || chunks.push(chunk));
      response.on('error', reject);
      const { statusCode: status = 0, headers: told } = response;
      const answer = () =>
        resolve({ status, headers: told, ...bodyOf(Buffer.concat(chunks), String(told['content-type'])) });
      response.on('end', answer);
      // Events go on for as long as somebody listens: what comes first is the answer.
      if (String(told['content-type']).startsWith('text/event-stream') && method !== 'HEAD')
        response.once('data', () => {
          answer();
          response.destroy();
        });
    });
    asked.setTimeout(patience(MAX_ANSWER_MS), () => asked.destroy(new Error(givenUp('no answer', MAX_ANSWER_MS))));
    asked.on('error', reject);
    asked.end(data);
  });
}

function bodyOf(bytes: Buffer, type: string): Pick<Answer, 'bytes' | 'text' | 'json'> {
  const text = bytes.toString();
  try {
    return { bytes, text, json: /json/.test(type) && text !== '' ? JSON.parse(text) : null };
  } catch {
    return { bytes, text, json: null };
  }
}

/** A connection without HTTP. Its errors are its end. */
export function open(to: Address, layer: 'tcp' | 'tls', options: ConnectionOptions = {}): Socket {
  const socket = layer === 'tcp' ? connectTcp(to) : connectTls({ ...to, ...TRUST, ...options });
  socket.on('error', () => {});
  return socket;
}

/** How long the other side left a connection open, in ms; null where it did not end it in that time. */
export function msUntilClosed(socket: Socket, withinMs: number): Promise<number | null> {
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

/** Sends bytes as they are; what came back until the end of the connection, or of some time. */
export function exchange(to: Address, layer: 'tcp' | 'tls', bytes: string | Buffer, withinMs = 5_000): Promise<Answer> {
  const socket = open(to, layer);
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
