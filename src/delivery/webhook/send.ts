import { Resolver } from 'node:dns/promises';
import { Agent, request } from 'node:https';
import { rootCertificates } from 'node:tls';
import type { Clock } from '#src/core/clock.ts';
import type { SecretBox } from '#src/core/secret-box.ts';
import { VERSION } from '#src/core/version.ts';
import type { Database } from '#src/database/connect.ts';
import type { Channel, Outcome, Sending } from '../channel.ts';
import { checkHost, guardedLookup, type Resolve } from './guard.ts';
import { signedHeaders } from './sign.ts';
import { secretsOf } from './subscriptions.ts';

/** From the beginning of a try to its answer's status (specification, Events: 2xx within 5 seconds). */
const TIMEOUT_MS = 5_000;
/** More of an answer is not read: nobody looks at it. */
const MOST_RESPONSE_BYTES = 65_536;

export interface WebhookOptions {
  db: Database;
  box: SecretBox;
  clock: Clock;
  environment: 'live' | 'sandbox';
  /** Development: callbacks to private and loopback addresses. */
  allowPrivate: boolean;
  /** A certificate authority beside the public ones, PEM. */
  ca?: string;
  resolve?: Resolve;
  /** Makes the connections, with the lookup that it is given. */
  agent?: Agent;
  timeoutMs?: number;
}

/** Sends events to the callback addresses of subscriptions. */
export function webhookChannel(options: WebhookOptions): Channel & { close(): void } {
  const { db, box, clock, environment, allowPrivate, ca } = options;
  const resolve = options.resolve ?? resolver();
  // A connection is used again only for the address that it was checked for: agents keep them by host name, and so a
  // name that moves elsewhere is looked up again at the next connection. Idle ones are closed soon.
  const trusted = ca === undefined ? {} : { ca: [...rootCertificates, ca] };
  const agent = options.agent ?? new Agent({ keepAlive: true, timeout: 10_000, maxCachedSessions: 1_000, ...trusted });
  return {
    async send(sending) {
      const webhook = await secretsOf(db, box, sending.target, clock());
      if (!webhook) return failed('the subscription is gone');
      const body = envelope(sending, environment);
      const url = new URL(webhook.url);
      const headers = {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'user-agent': `energy-usage-service/${VERSION}`,
        ...signedHeaders(sending.event.id, clock(), body, webhook.secrets),
      };
      const guard = allowPrivate ? {} : { lookup: guardedLookup(resolve) };
      try {
        if (!allowPrivate) checkHost(url.hostname);
        return await post(url, { agent, headers, ...guard }, body, options.timeoutMs ?? TIMEOUT_MS);
      } catch (error) {
        return failed((error as Error).message);
      }
    },
    close: () => agent.destroy(),
  };
}

/**
 * Asks name servers itself and with a limit: the system's look-up has four threads for the whole process, which a few names
 * whose servers do not answer would hold.
 */
function resolver(): Resolve {
  const names = new Resolver({ timeout: 2_000, tries: 1 });
  return async (hostname) => {
    const [four, six] = await Promise.allSettled([names.resolve4(hostname), names.resolve6(hostname)]);
    if (four.status === 'rejected' && six.status === 'rejected') throw four.reason;
    return [
      ...(four.status === 'fulfilled' ? four.value.map((address) => ({ address, family: 4 })) : []),
      ...(six.status === 'fulfilled' ? six.value.map((address) => ({ address, family: 6 })) : []),
    ];
  };
}

/** What is sent, the same bytes at every try (decisions in src/README.md). */
function envelope({ event }: Sending, environment: string): string {
  const { id, type, createdAt, data } = event;
  return JSON.stringify({ id, type, created_at: createdAt.toISOString(), environment, data });
}

const failed = (error: string): Outcome => ({ succeeded: false, responseStatus: null, error: error.slice(0, 500) });

/** One POST. Redirects are answers like any other that is not 2xx; of the body no more is read than a little. */
function post(url: URL, options: object, body: string, timeoutMs: number): Promise<Outcome> {
  return new Promise((resolve) => {
    const outgoing = request(url, { ...options, method: 'POST' }, (response) => {
      const status = response.statusCode ?? 0;
      const succeeded = status >= 200 && status < 300;
      const error = succeeded ? null : status >= 300 && status < 400 ? 'redirects are not followed' : `HTTP ${status}`;
      finish({ succeeded, responseStatus: status, error });
      let read = 0;
      response.on('data', (chunk: Buffer) => {
        read += chunk.length;
        if (read > MOST_RESPONSE_BYTES) response.destroy();
      });
      response.on('error', () => {});
      // One that never ends holds no connection for longer than its try may last.
      const end = setTimeout(() => response.destroy(), timeoutMs);
      response.on('close', () => clearTimeout(end));
    });
    const timer = setTimeout(() => outgoing.destroy(new Error(`no answer within ${timeoutMs / 1_000} s`)), timeoutMs);
    const finish = (outcome: Outcome) => {
      clearTimeout(timer);
      resolve(outcome);
    };
    outgoing.on('error', (error) => finish(failed(error.message)));
    outgoing.end(body);
  });
}
