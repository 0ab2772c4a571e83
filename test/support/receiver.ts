import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { generate } from 'selfsigned';

/** A webhook request that the receiver has received. */
export interface WebhookCall {
  path: string;
  headers: Record<string, string>;
  body: string;
  atMs: number;
}

/** An HTTPS server that receives webhooks in tests, with its own certificate authority. */
export interface WebhookReceiver {
  url: string;
  port: number;
  /** Certificate (PEM) of the authority that signed the receiver's certificate. Senders must trust it. */
  ca: string;
  calls: WebhookCall[];
  /**
   * Response to each webhook call. Null: the receiver sends none. A function is called for each call, and returns its response. `ending`: how
   * the response body ends prematurely.
   */
  answer: (call: WebhookCall) => {
    status: number;
    headers?: Record<string, string>;
    body?: string | Buffer;
    ending?: 'goes on' | 'breaks off';
  } | null;
  close(): Promise<void>;
}

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const pair = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    extensions: [
      { name: 'basicConstraints', cA: true },
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'localhost' },
          { type: 2, value: 'hooks.example.net' },
          { type: 7, ip: '127.0.0.1' },
        ],
      },
    ],
  });
  const receiver: WebhookReceiver = {
    url: '',
    port: 0,
    ca: pair.cert,
    calls: [],
    answer: () => ({ status: 200 }),
    close: () => close(server),
  };
  const server = createServer({ cert: pair.cert, key: pair.private }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const call = {
        path: request.url ?? '',
        headers: request.headers as Record<string, string>,
        body: Buffer.concat(chunks).toString(),
        atMs: Date.now(),
      };
      receiver.calls.push(call);
      const answer = receiver.answer(call);
      if (!answer) return;
      const { status, headers, body = '', ending } = answer;
      response.writeHead(status, headers);
      if (ending === undefined) return response.end(body);
      response.write(body);
      if (ending === 'breaks off') setTimeout(() => response.destroy(), 50);
    });
    request.on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  receiver.port = (server.address() as AddressInfo).port;
  receiver.url = `https://localhost:${receiver.port}/hook`;
  return receiver;
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}
