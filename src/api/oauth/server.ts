import { createHmac, generateKeyPairSync } from 'node:crypto';
import Provider, { type Client, type Context, errors, interactionPolicy } from 'oidc-provider';
import { renderPlainPage } from '#src/api/plain-page.ts';
import { isSecretMatchingHash } from '#src/auth/apps.ts';
import { createApplicationUrl, createSubscriptionUrls, GREEN_BUTTON_REQUIRED_SCOPE } from '#src/auth/green-button.ts';
import { createSecret, TOKEN_PREFIX } from '#src/auth/key-format.ts';
import { APP_SCOPE_NAMES, isAppScope } from '#src/auth/scopes.ts';
import { GREEN_BUTTON_SCOPE_PARAMETER } from './green-button-requests.ts';
import { OAUTH_PATHS } from './paths.ts';
import type { OauthStore } from './store.ts';

/** Names of the cookies of a pending request for consent. */
const COOKIES = {
  session: '__Secure-energy_oauth',
  interaction: '__Secure-energy_consent',
  resume: '__Secure-energy_resume',
};

const HOUR_SECONDS = 3_600;
/** Lifetimes of tokens and requests in seconds. A request for consent must last long enough for a sign-in by mail. */
const TTL = {
  Interaction: HOUR_SECONDS / 2,
  Session: HOUR_SECONDS / 2,
  AuthorizationCode: 60,
  AccessToken: HOUR_SECONDS,
  ClientCredentials: HOUR_SECONDS,
  // Lifetime of an unused refresh token. Whenever a refresh token is used, a new token replaces it.
  RefreshToken: 365 * 24 * HOUR_SECONDS,
  Grant: 365 * 24 * HOUR_SECONDS,
};

const OFF = { enabled: false };

interface Options {
  /** Public URL of the service. */
  issuer: string;
  /** Secret of the installation, from which the key for signing cookies is derived. */
  secret: string;
  store: OauthStore;
  onError(error: Error): void;
}

/**
 * Creates the authorization server: authorization code flow with PKCE (S256), refresh tokens that change with each use, and
 * revocation. It does not support OpenID Connect.
 */
export function createAuthorizationServer(options: Options): Provider {
  const { issuer, store, onError } = options;
  const provider: Provider = new Provider(issuer, {
    ...configurationOf(options),
    // Every request needs a new consent.
    loadExistingGrant: async ({ oidc }: Context) =>
      oidc.result?.consent ? provider.Grant.find(oidc.result.consent.grantId) : undefined,
  });
  // These headers can be trusted, because routes.ts sets them from the public URL.
  provider.proxy = true;
  provider.on('server_error', (_context, error) => onError(error));
  useOwnSecrets(provider);
  completeAnswers(provider, store, issuer);
  return provider;
}

function configurationOf({ secret, store }: Options): Record<string, unknown> {
  // oidc-provider requires a key for ID tokens, although this server issues none.
  const unused = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });
  const cookie = { httpOnly: true, secure: true, signed: true, sameSite: 'lax' };
  return {
    adapter: (model: string) => store.adapterOf(model),
    allowOmittingSingleRegisteredRedirectUri: false,
    claims: { openid: [] },
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    clockTolerance: 0,
    cookies: {
      names: COOKIES,
      keys: [createHmac('sha256', secret).update('cookies of the authorization server').digest('base64url')],
      long: cookie,
      short: cookie,
    },
    expiresWithSession: async () => false,
    extraParams: [GREEN_BUTTON_SCOPE_PARAMETER],
    features: {
      clientCredentials: { enabled: true },
      devInteractions: OFF,
      dPoP: OFF,
      pushedAuthorizationRequests: OFF,
      resourceIndicators: OFF,
      rpInitiatedLogout: OFF,
      userinfo: OFF,
      revocation: {
        enabled: true,
        allowedPolicy: async (_context: Context, client: Client, token: { clientId: string }) =>
          client.clientId === token.clientId,
      },
    },
    findAccount: async (_context: Context, accountId: string) => ({
      accountId,
      claims: async () => ({ sub: accountId }),
    }),
    interactions: {
      policy: [consentPrompt()],
      url: (_context: Context, { uid }: { uid: string }) => `/dashboard/consent/${uid}`,
    },
    issueRefreshToken: async () => true,
    jwks: { keys: [{ ...unused, use: 'sig', alg: 'ES256' }] },
    pkce: { required: () => true },
    renderError: async (context: Context, out: { error: string; error_description?: string }) => {
      context.type = 'html';
      const why = out.error_description ?? out.error;
      context.body = renderPlainPage('Not possible', `The app cannot request access to your home: ${why}.`);
    },
    responseTypes: ['code'],
    revokeGrantPolicy: () => true,
    rotateRefreshToken: true,
    routes: OAUTH_PATHS,
    scopes: [...APP_SCOPE_NAMES],
    ttl: TTL,
  };
}

/** Makes oidc-provider compare the hashes of app secrets, and create tokens in this service's format. */
function useOwnSecrets(provider: Provider): void {
  provider.Client.prototype.compareClientSecret = function (presented) {
    return this.clientSecret !== undefined && isSecretMatchingHash(Buffer.from(this.clientSecret, 'hex'), presented);
  };
  provider.AccessToken.prototype.generateTokenId = function () {
    // Sets the token format, as the replaced function of oidc-provider does.
    this.format = 'opaque';
    return createSecret(TOKEN_PREFIX.access);
  };
  provider.ClientCredentials.prototype.generateTokenId = function () {
    // No home has consented to a token for the app itself, so such a token can have no scope.
    if (this.scope) throw new errors.InvalidScope('requested scope needs the consent of a home', this.scope);
    this.format = 'opaque';
    return createSecret(TOKEN_PREFIX.access);
  };
  provider.RefreshToken.prototype.generateTokenId = () => createSecret(TOKEN_PREFIX.refresh);
  provider.AuthorizationCode.prototype.generateTokenId = () => createSecret(TOKEN_PREFIX.code);
}

/** Returns a prompt that requires consent for every request. Scopes that the app may not have are refused first. */
function consentPrompt() {
  const { Check, Prompt } = interactionPolicy;
  const check = new Check('consent', 'the home has not consented to this request', ({ oidc }) => {
    const asked = oidc.params.scope?.split(' ') ?? [];
    const ofApp = oidc.client?.scope.split(' ') ?? [];
    const beyond = asked.find((scope) => !isAppScope(scope) || !ofApp.includes(scope));
    if (beyond !== undefined) throw new errors.InvalidScope('requested scope is not allowed', beyond);
    if (asked.length === 0) throw new errors.InvalidScope('scope is required', '');
    return oidc.result?.consent === undefined;
  });
  return new Prompt({ name: 'consent', requestable: true }, check);
}

/**
 * Adds the addresses of Green Button's resources to token responses. If an app uses a refresh token again within 30 s, it gets the first
 * response again, because it may not have received this response. Any other second use of a token ends the authorization.
 */
function completeAnswers(provider: Provider, store: OauthStore, issuer: string): void {
  provider.use(async (context, next) => {
    await next();
    if (context.path !== OAUTH_PATHS.token) return;
    const { params, client } = context.oidc;
    const answer = store.repeatedAnswer(client?.clientId);
    if (answer !== null) {
      context.status = 200;
      context.body = answer;
    } else if (context.status === 200) {
      const { grantId } = context.oidc.entities.AccessToken ?? {};
      context.body = await withGreenButton(context.body as TokenAnswer, store, issuer, {
        grantId,
        clientId: client?.clientId,
      });
      if (params.grant_type === 'refresh_token') await store.keepAnswer(params.refresh_token ?? '', context.body);
    }
  });
}

type TokenAnswer = { scope?: string } & Record<string, unknown>;

/**
 * Adds the members that ESPI requires to a token response: the addresses of the resources and, for a home, the granted scope
 * string.
 */
async function withGreenButton(
  answer: TokenAnswer,
  store: OauthStore,
  issuer: string,
  { grantId, clientId = '' }: { grantId: string | undefined; clientId: string | undefined },
): Promise<TokenAnswer> {
  if (grantId === undefined) {
    const id = await store.resourceOfApp(clientId);
    return id === null ? answer : { ...answer, resourceURI: createApplicationUrl(issuer, id) };
  }
  const found = await store.subscriptionOf(grantId);
  if (!found) return answer;
  const scopes = (answer.scope ?? '').split(' ');
  // The new token may have fewer scopes than the authorization.
  if (!scopes.includes(GREEN_BUTTON_REQUIRED_SCOPE)) return answer;
  const others = scopes.filter((scope) => scope !== GREEN_BUTTON_REQUIRED_SCOPE);
  return { ...answer, scope: [found.scope, ...others].join(' '), ...createSubscriptionUrls(issuer, found.id) };
}
