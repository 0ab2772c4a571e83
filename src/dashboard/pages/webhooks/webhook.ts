import type { Delivery } from '#clients/typescript/client.ts';
import { words } from '../../words/words.ts';

/** Length of a webhook secret in bytes. Standard Webhooks requires 24 to 64. */
const BYTES = 32;

/** Returns a new webhook secret in the format of Standard Webhooks. The browser generates it, so that nobody else knows it. */
export const createWebhookSecret = (): string =>
  `whsec_${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(BYTES))))}`;

/** Returns the code of a sample receiver that verifies the signatures of webhook deliveries. */
export const buildReceiverExample = (secret: string): string => `// npm install standardwebhooks
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
    // The signature is wrong, so the request is not from the service.
    response.writeHead(400).end();
  }
}).listen(8080);`;

type Attempt = Delivery['attempts'][number];

export const getAttemptOutcome = ({ error, response_status }: Attempt): string => error ?? `HTTP ${response_status}`;

/** Returns why a subscription is paused: the error of the latest failed attempt, if any. */
export function getPauseReason(deliveries: Delivery[]): string {
  const last = deliveries
    .flatMap(({ attempts }) => attempts)
    .reduce<Delivery['attempts'][number] | null>((a, b) => (a === null || b.at > a.at ? b : a), null);
  return last === null || last.error === null
    ? words().webhooks.byHand
    : words().webhooks.lastTry({ outcome: getAttemptOutcome(last) });
}
