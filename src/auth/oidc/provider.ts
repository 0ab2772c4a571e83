import { X509Certificate } from 'node:crypto';
import { Agent, request } from 'node:https';
import { createSecureContext, getCACertificates } from 'node:tls';
import * as client from 'openid-client';
import type { OidcConfig } from '#src/config/oidc.ts';
import { findClaimByPath } from './person.ts';

/** Time limit in seconds of each request to the provider. */
const TIMEOUT_SECONDS = 5;
/** Tolerated difference in seconds between the provider's clock and this machine's. */
const CLOCK_TOLERANCE_SECONDS = 60;
/** Cache lifetime in ms of the provider's metadata. */
const KNOWN_FOR_MS = 3_600_000;

/** State of an unfinished sign-in. The browser stores it while the person signs in at the provider. */
interface PendingSignIn {
  state: string;
  nonce: string;
  verifier: string;
}

/** Claims about a person, from a provider's response with a verified signature. */
type PersonClaims = Readonly<Record<string, unknown>>;

export type Provider = ReturnType<typeof createOidcProvider>;

/** Cached metadata of the provider. Concurrent callers that need new metadata share one request. */
class CachedMetadata {
  readonly #discover: () => Promise<client.Configuration>;
  readonly #nowMs: () => number;
  #known: { of: client.Configuration; untilMs: number } | null = null;
  #discovering: Promise<client.Configuration> | null = null;

  constructor(discover: () => Promise<client.Configuration>, nowMs: () => number) {
    this.#discover = discover;
    this.#nowMs = nowMs;
  }

  /**
   * Returns the provider's metadata. If the provider is unavailable, returns cached metadata even if they have expired. Throws
   * ProviderUnavailableError if none are cached.
   */
  async get(): Promise<client.Configuration> {
    if (this.#known && this.#known.untilMs > this.#nowMs()) return this.#known.of;
    this.#discovering ??= this.#request().finally(() => {
      this.#discovering = null;
    });
    try {
      return await this.#discovering;
    } catch (error) {
      if (this.#known) return this.#known.of;
      throw new ProviderUnavailableError(whyOf(error));
    }
  }

  async #request(): Promise<client.Configuration> {
    const of = await this.#discover();
    this.#known = { of, untilMs: this.#nowMs() + KNOWN_FOR_MS };
    return of;
  }
}

/**
 * Creates a client of an OpenID Connect provider: authorization code flow with PKCE (S256), state, nonce and ID token. Sends no
 * request before the first sign-in, so that the service can start while the provider is unavailable. `ca`: PEM.
 */
export function createOidcProvider(config: OidcConfig, ca: string | undefined, nowMs: () => number = Date.now) {
  const ask = createProviderFetch(ca);
  const metadata = new CachedMetadata(() => discover(config, ask), nowMs);
  return {
    /** Text on the sign-in button. */
    label: config.label,

    /** Returns the URL for signing in at the provider, and the state that the browser must store meanwhile. */
    async begin(redirectUri: string): Promise<{ location: string; pending: PendingSignIn }> {
      const of = await metadata.get();
      const pending = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier: client.randomPKCECodeVerifier(),
      };
      const location = client.buildAuthorizationUrl(of, {
        redirect_uri: redirectUri,
        scope: config.scopes,
        response_type: 'code',
        state: pending.state,
        nonce: pending.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(pending.verifier),
        code_challenge_method: 'S256',
      });
      return { location: location.href, pending };
    },

    /**
     * Returns the claims about the person after the provider's redirect. `at`: the redirect URI with its parameters. Throws
     * SignInRefusedError or ProviderUnavailableError.
     */
    async finish(at: URL, { state, nonce, verifier }: PendingSignIn): Promise<PersonClaims> {
      const of = await metadata.get();
      try {
        const tokens = await client.authorizationCodeGrant(of, at, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        });
        const claims = tokens.claims() as client.IDToken;
        const wanted = ['email', ...(config.roles ? [config.roles.claim] : [])];
        const isAll = wanted.every((name) => findClaimByPath(claims, name) !== undefined);
        if (isAll || of.serverMetadata().userinfo_endpoint === undefined) return claims;
        // A provider may return some of the requested claims only from its UserInfo endpoint (OpenID Connect Core 1.0, 5.4).
        return { ...(await client.fetchUserInfo(of, tokens.access_token, claims.sub)), ...claims };
      } catch (error) {
        throw refusalOf(error);
      }
    },

    /** Returns the URL that also ends the session at the provider. Null if the provider has no such URL or is unavailable. */
    async endOfSession(returnTo: string): Promise<string | null> {
      const of = await metadata.get().catch(() => null);
      if (of?.serverMetadata().end_session_endpoint === undefined) return null;
      return client.buildEndSessionUrl(of, { post_logout_redirect_uri: returnTo }).href;
    },
  };
}

const discover = (config: OidcConfig, ask: client.CustomFetch): Promise<client.Configuration> =>
  client.discovery(
    new URL(config.issuer),
    config.clientId,
    { [client.clockTolerance]: CLOCK_TOLERANCE_SECONDS },
    (...args) => authenticationOf(args[0].token_endpoint_auth_methods_supported, config.clientSecret)(...args),
    { [client.customFetch]: ask, timeout: TIMEOUT_SECONDS, execute: [client.enableNonRepudiationChecks] },
  );

/**
 * Returns the method of client authentication: client_secret_basic or, if the provider does not support it, client_secret_post.
 */
function authenticationOf(methods: readonly string[] | undefined, secret: string): client.ClientAuth {
  const isBasic = methods === undefined || methods.includes('client_secret_basic');
  return isBasic ? client.ClientSecretBasic(secret) : client.ClientSecretPost(secret);
}

/** Converts a failed token exchange to an error that contains only the provider's OAuth error code. */
function refusalOf(error: unknown): Error {
  if (error instanceof client.AuthorizationResponseError) return new SignInRefusedError(whyOf(error), error.error);
  if (error instanceof client.ResponseBodyError && error.status < 500)
    return new SignInRefusedError(whyOf(error), error.error);
  // The library sets `code` on errors about invalid responses. Errors without `code` are network errors.
  const isAnswer = error instanceof client.ClientError && error.code !== undefined && !AWAY.has(error.code);
  return isAnswer ? new SignInRefusedError(whyOf(error)) : new ProviderUnavailableError(whyOf(error));
}

/** Error codes of the library for responses that neither grant nor refuse the sign-in: an unexpected status or media type, or a timeout. */
const AWAY = new Set([
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_PARSE_ERROR',
  'OAUTH_TIMEOUT',
  'OAUTH_ABORT',
]);

/** Returns the messages and codes of an error and of its cause, for the log. */
function whyOf(error: unknown): string {
  const { message, code, cause } = error as { message?: string; code?: string; cause?: unknown };
  const below = cause instanceof Error ? ` (${whyOf(cause)})` : '';
  const detail = error instanceof client.ResponseBodyError ? `: ${error.error} ${error.error_description ?? ''}` : '';
  return `${message ?? String(error)}${code === undefined ? '' : ` [${code}]`}${detail}${below}`.slice(0, 500);
}

/** Maximum size in bytes of a response from the provider. */
const MAX_ANSWER_BYTES = 524_288;
/** HTTP statuses of responses that have no body (Fetch standard, null body status). */
const WITHOUT_BODY = new Set([204, 205, 304]);

/**
 * Creates a `fetch` for one provider. It uses only TLS, accepts an additional certificate authority (`ca`, PEM), follows no
 * redirects and limits the size of responses. Throws if `ca` is not a certificate.
 */
function createProviderFetch(ca: string | undefined): client.CustomFetch {
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
            const fields = Object.entries(answered).flatMap(([name, value]) =>
              [value ?? []].flat().map((one): [string, string] => [name, one]),
            );
            const content = WITHOUT_BODY.has(status) ? null : Buffer.concat(chunks);
            // The Response constructor throws if the status is invalid.
            try {
              resolve(new Response(content, { status, headers: fields }));
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

/** Error: the provider is unavailable or its response is invalid, so that the service could not identify the person. */
export class ProviderUnavailableError extends Error {
  override name = 'ProviderUnavailable';
}

/**
 * Error: the provider refused the sign-in, or its response failed verification. `reason`: the OAuth error code, if the provider sent one.
 */
export class SignInRefusedError extends Error {
  override name = 'SignInRefused';
  readonly reason: string | null;
  constructor(message: string, reason: string | null = null) {
    super(message);
    this.reason = reason;
  }
}
