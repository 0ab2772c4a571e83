import { X509Certificate } from 'node:crypto';
import { Agent, request } from 'node:https';
import { createSecureContext, getCACertificates } from 'node:tls';
import * as client from 'openid-client';
import type { OidcConfig } from '#src/config/oidc.ts';
import { claimAt } from './person.ts';

/** Each question to the provider. */
const TIMEOUT_SECONDS = 5;
/** How far its clock may be from ours. */
const CLOCK_TOLERANCE_SECONDS = 60;
/** Its metadata, which seldom change, are asked for again after this; its keys whenever one is not known. */
const KNOWN_FOR_MS = 3_600_000;

/** What a browser keeps of a sign-in while it is at the provider. */
export interface Begun {
  state: string;
  nonce: string;
  verifier: string;
}

/** What the provider says of a person, checked to be its word about this sign-in. */
export type Claims = Readonly<Record<string, unknown>>;

export type Provider = ReturnType<typeof oidcProvider>;

/**
 * A provider of OpenID Connect: authorization code with PKCE (S256), state, nonce, and an ID token whose signature is checked against the
 * provider's keys, though it comes over TLS (OpenID Connect Core 1.0, 3.1.3.7). `ca`: PEM. Nothing is asked before it is needed, so that
 * the service starts without the provider.
 */
export function oidcProvider(config: OidcConfig, ca: string | undefined, nowMs: () => number = Date.now) {
  const ask = limitedFetch(ca);
  let known: { of: client.Configuration; untilMs: number } | null = null;
  let discovering: Promise<client.Configuration> | null = null;

  async function discover(): Promise<client.Configuration> {
    const found = await client.discovery(
      new URL(config.issuer),
      config.clientId,
      { [client.clockTolerance]: CLOCK_TOLERANCE_SECONDS },
      (...args) => authenticationOf(args[0].token_endpoint_auth_methods_supported, config.clientSecret)(...args),
      { [client.customFetch]: ask, timeout: TIMEOUT_SECONDS, execute: [client.enableNonRepudiationChecks] },
    );
    known = { of: found, untilMs: nowMs() + KNOWN_FOR_MS };
    return found;
  }

  async function configuration(): Promise<client.Configuration> {
    if (known && known.untilMs > nowMs()) return known.of;
    // All that wait are answered by one question.
    discovering ??= discover().finally(() => {
      discovering = null;
    });
    try {
      return await discovering;
    } catch (error) {
      if (known) return known.of;
      throw new ProviderUnavailable(whyOf(error));
    }
  }

  return {
    /** What its button says. */
    label: config.label,

    /** Where a browser goes to sign in, and what it keeps meanwhile. */
    async begin(redirectUri: string): Promise<{ location: string; begun: Begun }> {
      const of = await configuration();
      const begun = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier: client.randomPKCECodeVerifier(),
      };
      const location = client.buildAuthorizationUrl(of, {
        redirect_uri: redirectUri,
        scope: config.scopes,
        response_type: 'code',
        state: begun.state,
        nonce: begun.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(begun.verifier),
        code_challenge_method: 'S256',
      });
      return { location: location.href, begun };
    },

    /**
     * Who came back with the address `at`, which is the redirect URI with what the provider added. Throws SignInRefused or
     * ProviderUnavailable.
     */
    async finish(at: URL, { state, nonce, verifier }: Begun): Promise<Claims> {
      const of = await configuration();
      try {
        const tokens = await client.authorizationCodeGrant(of, at, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        });
        const claims = tokens.claims() as client.IDToken;
        const wanted = ['email', ...(config.roles ? [config.roles.claim] : [])];
        const isAll = wanted.every((name) => claimAt(claims, name) !== undefined);
        if (isAll || of.serverMetadata().userinfo_endpoint === undefined) return claims;
        // What scopes ask for may be told there alone (OpenID Connect Core 1.0, 5.4).
        return { ...(await client.fetchUserInfo(of, tokens.access_token, claims.sub)), ...claims };
      } catch (error) {
        throw refusalOf(error);
      }
    },

    /** Where a browser goes to end its session with the provider, too; null where that offers no such place, or is away. */
    async endOfSession(returnTo: string): Promise<string | null> {
      const of = await configuration().catch(() => null);
      if (of?.serverMetadata().end_session_endpoint === undefined) return null;
      return client.buildEndSessionUrl(of, { post_logout_redirect_uri: returnTo }).href;
    },
  };
}

/** As most providers expect it: client_secret_basic, which is the default (OpenID Connect Discovery 1.0, 3), unless they know only others. */
function authenticationOf(methods: readonly string[] | undefined, secret: string): client.ClientAuth {
  const isBasic = methods === undefined || methods.includes('client_secret_basic');
  return isBasic ? client.ClientSecretBasic(secret) : client.ClientSecretPost(secret);
}

/** What a failure of the exchange comes to. Nothing of answers is kept but what OAuth lets a provider say of errors. */
function refusalOf(error: unknown): Error {
  if (error instanceof client.AuthorizationResponseError) return new SignInRefused(whyOf(error), error.error);
  if (error instanceof client.ResponseBodyError && error.status < 500)
    return new SignInRefused(whyOf(error), error.error);
  // What libraries find wrong with an answer has a code of theirs; the rest is network.
  const isAnswer = error instanceof client.ClientError && error.code !== undefined && !AWAY.has(error.code);
  return isAnswer ? new SignInRefused(whyOf(error)) : new ProviderUnavailable(whyOf(error));
}

/** Codes of the library for answers that say nothing of the sign-in: another status, another type, none in time. */
const AWAY = new Set([
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_PARSE_ERROR',
  'OAUTH_TIMEOUT',
  'OAUTH_ABORT',
]);

/** For the log: message and code, and those of the error below. */
function whyOf(error: unknown): string {
  const { message, code, cause } = error as { message?: string; code?: string; cause?: unknown };
  const below = cause instanceof Error ? ` (${whyOf(cause)})` : '';
  const told = error instanceof client.ResponseBodyError ? `: ${error.error} ${error.error_description ?? ''}` : '';
  return `${message ?? String(error)}${code === undefined ? '' : ` [${code}]`}${told}${below}`.slice(0, 500);
}

/** More than metadata, keys or claims of anybody have. Nothing behind it is read. */
const MAX_ANSWER_BYTES = 524_288;
/** A Response of these has no body (Fetch standard, null body status). */
const WITHOUT_BODY = new Set([204, 205, 304]);

/**
 * What `fetch` does, for one provider: over TLS alone, with a certificate authority (PEM) beside the known ones, without following
 * redirects, and with an end to what it reads. Throws where `ca` is no certificate. Rejects where nobody answers, too much, or not before the signal.
 */
export function limitedFetch(ca: string | undefined): client.CustomFetch {
  if (ca !== undefined) new X509Certificate(ca);
  const agent = new Agent(
    ca === undefined ? {} : { secureContext: createSecureContext({ ca: [...getCACertificates('default'), ca] }) },
  );
  return async (url, { method, headers, body, signal }) => {
    const sent =
      body === undefined || body === null ? undefined : Buffer.from(await new Response(body as BodyInit).arrayBuffer());
    return new Promise((resolve, reject) => {
      const length = sent === undefined ? {} : { 'content-length': sent.length };
      const outgoing = request(
        url,
        { agent, method, headers: { ...headers, ...length }, ...(signal ? { signal } : {}) },
        (incoming) => {
          const chunks: Buffer[] = [];
          let read = 0;
          incoming.on('data', (chunk: Buffer) => {
            read += chunk.length;
            chunks.push(chunk);
            if (read > MAX_ANSWER_BYTES) outgoing.destroy(new Error(`answered more than ${MAX_ANSWER_BYTES} bytes`));
          });
          incoming.on('error', reject);
          incoming.on('end', () => {
            const { statusCode: status = 500, headers: answered } = incoming;
            const told = Object.entries(answered).flatMap(([name, value]) =>
              [value ?? []].flat().map((one): [string, string] => [name, one]),
            );
            const content = WITHOUT_BODY.has(status) ? null : Buffer.concat(chunks);
            // A status that is none throws: rejected like any other answer that cannot be read.
            try {
              resolve(new Response(content, { status, headers: told }));
            } catch (error) {
              reject(error);
            }
          });
        },
      );
      outgoing.on('error', reject);
      outgoing.end(sent);
    });
  };
}

/** The provider is away, or answers what is no answer: nothing is known of the person. */
export class ProviderUnavailable extends Error {
  override name = 'ProviderUnavailable';
}

/** The provider refused, or its answer does not hold. `reason`: what OAuth calls it, where the provider said so. */
export class SignInRefused extends Error {
  override name = 'SignInRefused';
  readonly reason: string | null;
  constructor(message: string, reason: string | null = null) {
    super(message);
    this.reason = reason;
  }
}
