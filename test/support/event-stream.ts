import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { request } from 'node:https';
import type { Readable } from 'node:stream';

interface StreamEvent {
  event: string;
  id: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: an event can have any form; each test asserts the form
  data: any;
}

/** A client that receives server-sent events (HTML standard, 9.2.6). */
export interface EventStream {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  events: StreamEvent[];
  /** Returns all text received so far, including comments and `retry:`. */
  text(): string;
  /** Returns the received events with this event name. */
  of(event: string): StreamEvent[];
  /** Whether the server has ended the stream without an error. */
  isOver(): boolean;
  /** Stops or resumes reading. */
  pause(isPaused: boolean): void;
  close(): void;
}

/**
 * Opens an event stream with an API key or a session cookie. `lastEventId`: header `Last-Event-ID`. Resolves when the response headers have
 * arrived.
 */
export async function openEventStream(
  port: number,
  path: string,
  {
    key,
    cookie,
    lastEventId,
    http2 = false,
    onEvent,
  }: { key?: string; cookie?: string; lastEventId?: string; http2?: boolean; onEvent?: (event: StreamEvent) => void },
): Promise<EventStream> {
  const sent = {
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    ...(cookie === undefined ? {} : { cookie }),
    ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
  };
  const { body, status, headers, close } = await (http2 ? overHttp2 : overHttp1)(port, path, sent);
  let text = '';
  let isOver = false;
  const events: StreamEvent[] = [];
  let rest = '';
  body.setEncoding('utf8');
  body.on('data', (piece: string) => {
    text += piece;
    const blocks = (rest + piece).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = new Map(block.split('\n').map((line) => line.split(/: ?(.*)/s, 2) as [string, string]));
      const data = fields.get('data');
      if (data === undefined) continue;
      // The dashboard's events contain a plain time instead of JSON.
      const parsed = data.startsWith('{') ? JSON.parse(data) : data;
      const event = { event: fields.get('event') ?? 'message', id: fields.get('id'), data: parsed };
      if (onEvent) onEvent(event);
      else events.push(event);
    }
  });
  body.once('end', () => {
    isOver = true;
  });
  body.on('error', () => {});
  return {
    status,
    headers,
    events,
    text: () => text,
    of: (event) => events.filter((one) => one.event === event),
    isOver: () => isOver,
    pause: (isPaused) => void (isPaused ? body.pause() : body.resume()),
    close,
  };
}

interface Opened {
  body: Readable;
  status: number;
  headers: EventStream['headers'];
  close(): void;
}

async function overHttp1(port: number, path: string, headers: Record<string, string>): Promise<Opened> {
  const outgoing = request({ host: '127.0.0.1', port, path, headers, rejectUnauthorized: false, agent: false });
  outgoing.on('error', () => {});
  outgoing.end();
  const [response] = await once(outgoing, 'response');
  return {
    body: response,
    status: response.statusCode,
    headers: response.headers,
    close: () => outgoing.destroy(),
  };
}

async function overHttp2(port: number, path: string, headers: Record<string, string>): Promise<Opened> {
  const session = connectHttp2(`https://127.0.0.1:${port}`, { rejectUnauthorized: false });
  session.on('error', () => {});
  const stream = session.request({ ':path': path, ...headers });
  const [answered] = await once(stream, 'response');
  return { body: stream, status: answered[':status'], headers: answered, close: () => session.destroy() };
}
