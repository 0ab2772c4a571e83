import { createHmac, generateKeyPairSync } from 'node:crypto';
import Provider, { type Client, type Context, errors, interactionPolicy } from 'oidc-provider';
import { renderPlainPage } from '#src/api/plain-page.ts';
import { isSecretOf } from '#src/auth/apps.ts';
import { newSecret, TOKEN_PREFIX } from '#src/auth/key-format.ts';
import { APP_SCOPE_NAMES, isAppScope } from '#src/auth/scopes.ts';
import type { OauthStore } from './store.ts';

/** Paths of the authorization server. */
export const PATHS = {
  authorization: '/oauth/authorize',
  token: '/oauth/token',
  revocation: '/oauth/revoke',
} as const;

/** Cookies of a request for consent that is under way. Each is limited to the path of that request. */
const COOKIES = {
  session: '__Secure-energy_oauth',
  interaction: '__Secure-energy_consent',
  resume: '__Secure-energy_resume',
};

const HOUR_SECONDS = 3_600;
/** Lifetimes, s. A person may have to sign in by mail before it consents. */
const TTL = {
  Interaction: HOUR_SECONDS / 2,
  Session: HOUR_SECONDS / 2,
  AuthorizationCode: 60,
  AccessToken: HOUR_SECONDS,
  // Of a token that is not used for so long; a used one lives on in the next.
  RefreshToken: 365 * 24 * HOUR_SECONDS,
  Grant: 365 * 24 * HOUR_SECONDS,
};

const OFF = { enabled: false };

/**
 * Creates the authorization server: authorization code with PKCE (S256), rotating refresh tokens, revocation, and no OpenID Connect.
 * `issuer`: public URL of the service. `secret`: the installation's, of which the key of its cookies is made.
 */
export function createAuthorizationServer({
  issuer,
  secret,
  store,
  onError,
}: {
  issuer: string;
  secret: string;
  store: OauthStore;
  onError(error: Error): void;
}): Provider {
  // The package needs a key for ID tokens, which this server never issues.
  const unused = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });
  const cookie = { httpOnly: true, secure: true, signed: true, sameSite: 'lax' };
  const provider = new Provider(issuer, {
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
    features: {
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
    // Only the consent that this very request was given.
    loadExistingGrant: async ({ oidc }: Context) =>
      oidc.result?.consent ? provider.Grant.find(oidc.result.consent.grantId) : undefined,
    pkce: { required: () => true },
    renderError: async (context: Context, out: { error: string; error_description?: string }) => {
      context.type = 'html';
      const why = out.error_description ?? out.error;
      context.body = renderPlainPage('Not possible', `The app cannot ask for access to your home: ${why}.`);
    },
    responseTypes: ['code'],
    revokeGrantPolicy: () => true,
    rotateRefreshToken: true,
    routes: PATHS,
    scopes: [...APP_SCOPE_NAMES],
    ttl: TTL,
  });
  // The service's own listener terminates TLS, or a trusted proxy. Requests are handed over with the headers of the public URL (routes.ts).
  provider.proxy = true;
  provider.on('server_error', (_context, error) => onError(error));
  provider.Client.prototype.compareClientSecret = function (presented) {
    return this.clientSecret !== undefined && isSecretOf(Buffer.from(this.clientSecret, 'hex'), presented);
  };
  provider.AccessToken.prototype.generateTokenId = function () {
    // The package's own function decides the format, too.
    this.format = 'opaque';
    return newSecret(TOKEN_PREFIX.access);
  };
  provider.RefreshToken.prototype.generateTokenId = () => newSecret(TOKEN_PREFIX.refresh);
  provider.AuthorizationCode.prototype.generateTokenId = () => newSecret(TOKEN_PREFIX.code);
  repeatRefreshes(provider, store);
  return provider;
}

/** Asks for consent in every request, and refuses scopes that the app may not ask for before that. */
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

/** Repeats the answer to a refresh for 30 s, because it may not have arrived. Any other second use ends the authorization. */
function repeatRefreshes(provider: Provider, store: OauthStore): void {
  provider.use(async (context, next) => {
    await next();
    if (context.path !== PATHS.token) return;
    const { params, client } = context.oidc;
    const answer = store.repeatedAnswer(client?.clientId);
    if (answer !== null) {
      context.status = 200;
      context.body = answer;
    } else if (context.status === 200 && params.grant_type === 'refresh_token')
      await store.keepAnswer(params.refresh_token ?? '', context.body);
  });
}
