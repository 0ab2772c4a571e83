import type { Delivery } from '#clients/typescript/client.ts';
import { words } from '../../words/words.ts';

/** Standard Webhooks asks for 24 to 64 bytes. */
const BYTES = 32;

/** A new secret in the form that every library of Standard Webhooks takes: made here, so that only who made it ever sees it. */
export const newSecret = (): string =>
  `whsec_${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(BYTES))))}`;

/** A receiver that checks what comes: a program as it stands. */
export const receiverCode = (secret: string): string => `// npm install standardwebhooks
import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';

const webhook = new Webhook(
  '${secret}',
);

createServer(async (request, response) => {
  request.setEncoding('utf8');
  let body = '';
  for await (const part of request) body += part;
  try {
    const event = webhook.verify(body, request.headers);
    console.log(event.type, event.data);
    response.writeHead(204).end();
  } catch {
    // Not from us: its signature is wrong.
    response.writeHead(400).end();
  }
}).listen(8080);`;

type Attempt = Delivery['attempts'][number];

/** Outcome of an attempt: "HTTP 200", or what went wrong. */
export const outcomeOf = ({ error, response_status }: Attempt): string => error ?? `HTTP ${response_status}`;

/** Why a subscription is paused, as far as its log tells: the service pauses after a try that failed, and only then. Pure. */
export function whyPaused(deliveries: Delivery[]): string {
  const last = deliveries
    .flatMap(({ attempts }) => attempts)
    .reduce<Delivery['attempts'][number] | null>((a, b) => (a === null || b.at > a.at ? b : a), null);
  return last === null || last.error === null
    ? words().webhooks.byHand
    : words().webhooks.lastTry({ outcome: outcomeOf(last) });
}
