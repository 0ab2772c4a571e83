import { createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { createSubscriptionUrls } from '#src/auth/green-button.ts';
import type { Clock } from '#src/core/clock.ts';
import type { Environment } from '#src/core/environment.ts';
import type { SecretEncrypter } from '#src/core/secrets.ts';
import { HOUR_MS } from '#src/core/units.ts';
import { VERSION } from '#src/core/version.ts';
import type { Database } from '#src/database/connect.ts';
import type { EventBody, EventEnvelope } from '#src/events/bodies.ts';
import {
  type DeliveryAttempt,
  type DeliveryChannel,
  type DeliveryOutcome,
  EXPIRED_LEASE_OUTCOME,
  isLeaseExpired,
} from '../channel.ts';
import { createGuardedAgent, type GuardedAgentOptions } from './guarded-agent.ts';
import { loadWebhookReceiver } from './subscriptions.ts';

/** Maximum time in ms from the start of an attempt until the status of the response arrives. */
const TIMEOUT_MS = 5_000;
/** Maximum time in ms to wait for the first bytes of a response's body after its status has arrived. */
const BODY_WAIT_MS = 1_000;
/** Maximum number of bytes that are read from a response. */
const MAX_RESPONSE_BYTES = 65_536;

export interface WebhookOptions extends GuardedAgentOptions {
  db: Database;
  box: SecretEncrypter;
  clock: Clock;
  environment: Environment;
  /** Base URL of the service. Green Button notices contain it. */
  publicUrl: string;
  timeoutMs?: number;
}

/** Creates the channel that sends events to the callback URLs of subscriptions. */
export function createWebhookChannel(options: WebhookOptions): DeliveryChannel & { close(): void } {
  const { db, box, clock, environment } = options;
  const guarded = createGuardedAgent(options);
  return {
    async send(sending) {
      const about = { webhookId: sending.target, event: sending.event.type };
      const webhook = await loadWebhookReceiver(db, box, about, clock());
      if (!webhook) return failed('the subscription was deleted, or its app may no longer read the event');
      if (isLeaseExpired(sending, clock())) return EXPIRED_LEASE_OUTCOME;
      const { noticesOf, secrets } = webhook;
      const isNotice = noticesOf !== null;
      const body = isNotice
        ? noticeBody(options.publicUrl, noticesOf, sending.event)
        : createWebhookBody(sending.event, environment);
      const url = new URL(webhook.url);
      const signed = isNotice ? NOTICE_HEADERS : signedHeaders(sending.event.id, clock(), body, secrets);
      if (url.hostname === TEST_RECEIVER_HOST) return { ...judged(200), responseBody: caughtAnswer(signed) };
      const headers = { ...FIXED_WEBHOOK_HEADERS, 'content-length': Buffer.byteLength(body), ...signed };
      try {
        return await post(url, { headers, ...guarded.optionsFor(url.hostname) }, body, options.timeoutMs ?? TIMEOUT_MS);
      } catch (error) {
        return failed(explainConnectionError(error as Error));
      }
    },
    close: () => guarded.close(),
  };
}

const failed = (error: string): DeliveryOutcome => ({
  succeeded: false,
  responseStatus: null,
  error: error.slice(0, 500),
});

/**
 * Sends one POST request. The attempt succeeds only if the status is 2xx; a redirect is a failure. The first bytes of the body are stored
 * if they arrive in time.
 */
function post(url: URL, options: object, body: string, timeoutMs: number): Promise<DeliveryOutcome> {
  return new Promise((resolve) => {
    const fromMs = performance.now();
    let isAnswered = false;
    const outgoing = request(url, { ...options, method: 'POST' }, (response) => {
      isAnswered = true;
      clearTimeout(timer);
      const leftMs = Math.max(0, timeoutMs - (performance.now() - fromMs));
      void beginningOf(response, Math.min(BODY_WAIT_MS, leftMs), timeoutMs).then((responseBody) =>
        resolve({ ...judged(response.statusCode ?? 0), responseBody }),
      );
    });
    const giveUp = () => outgoing.destroy(new Error(`no response within ${timeoutMs / 1_000} s`));
    // A response that arrived while this process was busy is read first. Otherwise the receiver would get an event again that it has
    // processed.
    const timer = setTimeout(() => setImmediate(() => isAnswered || giveUp()), timeoutMs);
    outgoing.on('error', (error) => {
      clearTimeout(timer);
      if (!isAnswered) resolve(failed(explainConnectionError(error)));
    });
    outgoing.end(body);
  });
}

function judged(status: number): DeliveryOutcome {
  const succeeded = status >= 200 && status < 300;
  const error = succeeded ? null : status >= 300 && status < 400 ? 'redirects are not followed' : `HTTP ${status}`;
  return { succeeded, responseStatus: status, error };
}

/** Reads the first bytes of a body as text. If the body ends, breaks off or takes too long, returns the bytes received so far. */
function beginningOf(response: IncomingMessage, waitMs: number, longestMs: number): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let read = 0;
    const settle = () => resolve(answerText(Buffer.concat(chunks)));
    const wait = setTimeout(settle, waitMs);
    // A body may never end, so the connection is closed after a maximum time.
    const end = setTimeout(() => response.destroy(), longestMs);
    response.on('data', (chunk: Buffer) => {
      if (read < KEPT_ANSWER_BYTES) chunks.push(chunk.subarray(0, KEPT_ANSWER_BYTES - read));
      read += chunk.length;
      if (read >= KEPT_ANSWER_BYTES) settle();
      if (read > MAX_RESPONSE_BYTES) response.destroy();
    });
    response.on('error', () => {});
    response.on('close', () => {
      clearTimeout(wait);
      clearTimeout(end);
      settle();
    });
  });
}

/** Green Button notices are XML and not signed, because they contain no data. */
const NOTICE_HEADERS = { 'content-type': 'application/atom+xml' };

/**
 * Returns the notice to an app that a home's usage has changed: a BatchList of the ESPI standard with the URL of the changed hours. `id`:
 * the Green Button subscription.
 */
function noticeBody(publicUrl: string, id: string, { data }: Pick<DeliveryAttempt['event'], 'data'>): string {
  const { resourceURI } = createSubscriptionUrls(publicUrl, id);
  const hours = (data.hours ?? []) as EventBody<'usage.updated'>['hours'];
  const times = hours.map(({ date, hour }) => Date.parse(`${date}T${hour}:00Z`));
  const at = (ms: number) => new Date(ms).toISOString().replace('.000', '');
  const bounds =
    times.length === 0
      ? ''
      : `?published-min=${at(Math.min(...times))}&amp;published-max=${at(Math.max(...times) + HOUR_MS)}`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<espi:BatchList xmlns:espi="http://naesb.org/espi"><espi:resources>${resourceURI}${bounds}</espi:resources></espi:BatchList>\n`;
}

const PREFIX = 'whsec_';
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/**
 * Returns the signing key of a subscription's secret. If the secret is `whsec_` followed by base64, returns the decoded base64, otherwise
 * the secret's UTF-8 bytes.
 */
function keyOf(secret: string): Buffer {
  const encoded = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : '';
  return encoded !== '' && BASE64.test(encoded) ? Buffer.from(encoded, 'base64') : Buffer.from(secret, 'utf8');
}

/**
 * Returns the headers that identify and sign a message (Standard Webhooks). During a rotation of the secret, there is one signature for
 * each secret.
 */
function signedHeaders(id: string, at: Date, body: string, secrets: readonly string[]): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  const signed = `${id}.${timestamp}.${body}`;
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets
      .map((secret) => `v1,${createHmac('sha256', keyOf(secret)).update(signed).digest('base64')}`)
      .join(' '),
  };
}

/** Maximum number of bytes of a response in the delivery log. */
const KEPT_ANSWER_BYTES = 1_024;

/**
 * Converts the first bytes of a response to text that can be stored and shown. Invalid UTF-8 and control characters become U+FFFD. A
 * character that is cut off is dropped.
 */
function answerText(bytes: Uint8Array): string {
  const text = new TextDecoder().decode(bytes.subarray(0, KEPT_ANSWER_BYTES), { stream: true });
  return text.replaceAll('\r\n', '\n').replaceAll(/[^\P{Cc}\n\t]/gu, '\uFFFD');
}

const UNTRUSTED = 'the service’s operator can name its authority in WEBHOOK_CA_FILE';
const SELF_SIGNED = `the receiver’s certificate is not trusted (self-signed); ${UNTRUSTED}`;
const UNKNOWN_ISSUER = `the receiver’s certificate is not trusted (its authority is unknown, or it does not send the whole chain); ${UNTRUSTED}`;
const NO_ADDRESS = 'the receiver’s host name has no address; check the URL';
const NO_NAME_SERVER = 'the receiver’s host name could not be looked up: its name servers do not answer';
const NO_WAY = 'the network has no route to the receiver';
const BROKEN_OFF = 'the receiver closed the connection before it responded';
const TIMED_OUT =
  'the receiver did not accept the connection in time; check that it runs, and that no firewall blocks it';
const BROKEN_TLS = 'the receiver does not use TLS correctly; check that it serves HTTPS at this port';

/** Explanations of connection errors, by the `code` of Node's error. */
const SENTENCES = new Map([
  ['DEPTH_ZERO_SELF_SIGNED_CERT', SELF_SIGNED],
  ['SELF_SIGNED_CERT_IN_CHAIN', SELF_SIGNED],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', UNKNOWN_ISSUER],
  ['UNABLE_TO_GET_ISSUER_CERT', UNKNOWN_ISSUER],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', UNKNOWN_ISSUER],
  ['CERT_UNTRUSTED', UNKNOWN_ISSUER],
  ['CERT_HAS_EXPIRED', 'the receiver’s certificate has expired; renew it there'],
  ['CERT_NOT_YET_VALID', 'the receiver’s certificate is not valid yet; check the clocks of both machines'],
  ['CERT_REVOKED', 'the receiver’s certificate was revoked; renew it there'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'the receiver’s certificate is for a different host name than the URL'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', BROKEN_TLS],
  ['ERR_SSL_PACKET_LENGTH_TOO_LONG', BROKEN_TLS],
  ['EPROTO', BROKEN_TLS],
  ['ECONNREFUSED', 'nothing listens at the receiver’s address and port; check that it runs'],
  ['ECONNRESET', BROKEN_OFF],
  ['EPIPE', BROKEN_OFF],
  ['ETIMEDOUT', TIMED_OUT],
  ['EHOSTUNREACH', NO_WAY],
  ['ENETUNREACH', NO_WAY],
  ['ENOTFOUND', NO_ADDRESS],
  ['ENODATA', NO_ADDRESS],
  ['EAI_AGAIN', NO_NAME_SERVER],
  ['ESERVFAIL', NO_NAME_SERVER],
  ['ETIMEOUT', NO_NAME_SERVER],
]);

/**
 * Explains a connection error in a sentence for the receiver's owner, with the error code. The message of an unknown error is returned
 * unchanged. `who`: name of the receiver.
 */
export function explainConnectionError(error: Error & { code?: unknown }, who = 'receiver'): string {
  const code = typeof error.code === 'string' ? error.code : '';
  const sentence = SENTENCES.get(code)?.replaceAll('the receiver', `the ${who}`);
  return sentence === undefined ? error.message || code || error.name : `${sentence} (${code})`;
}

/** Fields of an event that a webhook request contains. */
interface ToldEvent {
  id: string;
  type: string;
  createdAt: Date;
  data: Record<string, unknown>;
}

/** Returns the body of a webhook request, the same for every attempt. */
export function createWebhookBody({ id, type, createdAt, data }: ToldEvent, environment: Environment): string {
  const envelope: EventEnvelope = { id, type, created_at: createdAt.toISOString(), environment, data };
  return JSON.stringify(envelope);
}

/** Headers of a webhook request that are the same for every attempt. */
export const FIXED_WEBHOOK_HEADERS = {
  'content-type': 'application/json',
  'user-agent': `energy-usage-service/${VERSION}`,
} as const;

/**
 * Host of the test receiver, with which a person can try webhooks without a server. Nothing is sent to this host; the service returns the
 * response itself.
 */
export const TEST_RECEIVER_HOST = 'catcher.example';

/** Returns the response of the test receiver: the signed headers of the request. */
const caughtAnswer = (headers: Record<string, string>): string => JSON.stringify(headers);

/** Parses the headers in a response of the test receiver; none if the text is something else. */
export function parseTestReceiverHeaders(answer: string | null): Record<string, string> {
  try {
    const headers: unknown = JSON.parse(answer ?? '');
    return typeof headers === 'object' && headers !== null ? (headers as Record<string, string>) : {};
  } catch {
    return {};
  }
}
