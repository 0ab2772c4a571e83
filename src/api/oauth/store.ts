import { AsyncLocalStorage } from 'node:async_hooks';
import { sql } from 'kysely';
import type { Adapter, StoredPayload } from 'oidc-provider';
import { findOauthClientApp, isSecretMatchingHash, type OauthClientApp } from '#src/auth/apps.ts';
import { getCurrentScopes, selectUsableAuthorizations } from '#src/auth/authorizations.ts';
import { hashApiKey } from '#src/auth/key-format.ts';
import type { Clock } from '#src/core/clock.ts';
import type { SecretEncrypter } from '#src/core/secrets.ts';
import { DAY_MS } from '#src/core/units.ts';
import type { Database } from '#src/database/connect.ts';
import type { OauthTokenKind } from '#src/database/enums.ts';
import { type AuthorizationEndReason, endAuthorizations } from '#src/users/app-access.ts';

/** Time in ms for which the response to a used refresh token is repeated, because the app may not have received it. */
const REPEATED_MS = 30_000;
/** Time in ms for which used refresh tokens are stored. Until then, a second use ends the authorization. */
const USED_FOR_MS = 30 * DAY_MS;

/** Models of oidc-provider that are stored in the table `oauth_tokens`, with the kind of each row. */
const KINDS: Readonly<Record<string, OauthTokenKind>> = {
  Interaction: 'interaction',
  AuthorizationCode: 'code',
  AccessToken: 'access',
  ClientCredentials: 'client',
  RefreshToken: 'refresh',
};

/** Transaction in which the authorization server handles a request, and the reason to record if the request ends an authorization. */
interface Work {
  trx: Database;
  because: AuthorizationEndReason;
  /** A stored token response that must be repeated, and the app that received it first. */
  repeated?: { answer: unknown; clientId: unknown };
}

/** Storage of the authorization server in the database. */
export class OauthStore {
  readonly #current = new AsyncLocalStorage<Work>();
  readonly #db: Database;
  readonly #box: SecretEncrypter;
  readonly #clock: Clock;

  constructor(db: Database, box: SecretEncrypter, clock: Clock) {
    this.#db = db;
    this.#box = box;
    this.#clock = clock;
  }

  /** Handles a request of the authorization server: `run` and everything that it calls use one transaction. */
  inTransaction<T>(work: Work, run: () => Promise<T>): Promise<T> {
    return this.#current.run(work, run);
  }

  adapterOf(model: string): Adapter {
    const kind = KINDS[model];
    if (kind === 'refresh') return this.#refreshTokens();
    if (kind) return this.#tokens(kind);
    if (model === 'Grant') return this.#grants();
    // The authorization server's own sessions are not stored, because each request needs a new consent.
    return model === 'Client' ? this.#clients() : NOTHING;
  }

  async keepAnswer(token: string, answer: unknown): Promise<void> {
    await this.#database
      .updateTable('oauth_tokens')
      .set({ answer_sealed: this.#box.seal(JSON.stringify(answer)) })
      .where('token_sha256', '=', hashApiKey(token))
      .execute();
  }

  /** Returns the token response that must be repeated, if the authenticated app received it first. */
  repeatedAnswer(clientId: string | undefined): unknown {
    const { repeated } = this.#current.getStore() ?? {};
    return repeated && repeated.clientId === clientId ? repeated.answer : null;
  }

  /**
   * Returns the resource id and the scope string of an authorization's Green Button subscription. Null without a scope string.
   */
  async subscriptionOf(grantId: string): Promise<{ id: string; scope: string } | null> {
    const row = await this.#database
      .selectFrom('authorizations')
      .select(['resource_id as id', 'green_button_scope as scope'])
      .where('authorization_id', '=', grantId)
      .executeTakeFirst();
    return row && row.scope !== null ? { id: row.id, scope: row.scope } : null;
  }

  /** Returns an app with its account. Null if the secret is wrong or the app has none. */
  async clientOf(clientId: string, secret: string): Promise<{ accountId: string; appId: string } | null> {
    const app = await findOauthClientApp(this.#database, clientId);
    const isProved = app?.client_secret_sha256 && isSecretMatchingHash(app.client_secret_sha256, secret);
    return isProved ? { accountId: app.user_id, appId: app.app_id } : null;
  }

  /** Returns the app's id in URLs of ESPI resources, or null. */
  async resourceOfApp(clientId: string): Promise<string | null> {
    const row = await this.#database
      .selectFrom('apps')
      .select('resource_id')
      .where('app_id', '=', clientId)
      .executeTakeFirst();
    return row?.resource_id ?? null;
  }

  /** Returns the home and the app of a refresh token or code, or null. */
  async ownerOf(token: string): Promise<{ accountId: string; appId: string } | null> {
    const row = await this.#db
      .selectFrom('oauth_tokens')
      .innerJoin('authorizations', 'authorizations.authorization_id', 'oauth_tokens.authorization_id')
      .select(['user_id as accountId', 'authorizations.app_id as appId'])
      .where('token_sha256', '=', hashApiKey(token))
      .executeTakeFirst();
    return row ?? null;
  }

  /** Returns the database connection to use: the transaction of the current request, if there is one. */
  get #database(): Database {
    return this.#current.getStore()?.trx ?? this.#db;
  }

  /**
   * Returns a code, token or interaction. In a transaction, locks its authorization first, so that requests with the same
   * authorization run one after another and a revocation waits.
   */
  async #findToken(kind: OauthTokenKind, id: string) {
    const inOrder = this.#current.getStore() !== undefined;
    const find = () =>
      this.#database
        .selectFrom('oauth_tokens')
        .select(['authorization_id', 'payload', 'consumed_at', 'expires_at', 'answer_sealed'])
        .where('token_sha256', '=', hashApiKey(id))
        .where('kind', '=', kind);
    const found = await find().executeTakeFirst();
    if (!inOrder || !found) return found;
    if (found.authorization_id !== null)
      await this.#database
        .selectFrom('authorizations')
        .select('authorization_id')
        .where('authorization_id', '=', found.authorization_id)
        .forUpdate()
        .executeTakeFirst();
    return find().forUpdate().executeTakeFirst();
  }

  #tokens(kind: OauthTokenKind): Adapter {
    return {
      upsert: (id, payload, expiresInSeconds) => this.#saveToken(kind, id, payload, expiresInSeconds),
      find: async (id) => {
        const row = await this.#findToken(kind, id);
        if (!row) return undefined;
        return {
          ...(row.payload as StoredPayload),
          jti: id,
          ...(kind !== 'interaction' && row.authorization_id !== null && { grantId: row.authorization_id }),
          ...(row.consumed_at && { consumed: secondsOf(row.consumed_at) }),
        };
      },
      consume: async (id) => {
        const at = this.#clock();
        await this.#database
          .updateTable('oauth_tokens')
          .set({ consumed_at: at, expires_at: sql<Date>`least(expires_at, ${new Date(at.getTime() + USED_FOR_MS)})` })
          .where('token_sha256', '=', hashApiKey(id))
          .execute();
      },
      destroy: async (id) => {
        await this.#database.deleteFrom('oauth_tokens').where('token_sha256', '=', hashApiKey(id)).execute();
      },
      ...WITHOUT,
    };
  }

  async #saveToken(
    kind: OauthTokenKind,
    id: string,
    { jti, grantId, ...payload }: StoredPayload,
    expiresInSeconds: number,
  ): Promise<void> {
    const stored = JSON.stringify(payload);
    // The request for consent is deleted together with the authorization that resulted from it.
    const consented = payload.result as { consent?: { grantId: string } } | undefined;
    const authorization_id = grantId ?? consented?.consent?.grantId ?? null;
    await this.#database
      .insertInto('oauth_tokens')
      .values({
        token_sha256: hashApiKey(id),
        kind,
        authorization_id,
        app_id: kind === 'client' ? String(payload.clientId) : null,
        payload: stored,
        expires_at: new Date(this.#clock().getTime() + expiresInSeconds * 1_000),
      })
      .onConflict((conflict) => conflict.column('token_sha256').doUpdateSet({ payload: stored, authorization_id }))
      .execute();
  }

  /**
   * Returns the adapter of refresh tokens. If a token was used within the last 30 s and its successor is unused, the response is
   * repeated, and the authorization does not end.
   */
  #refreshTokens(): Adapter {
    const tokens = this.#tokens('refresh');
    return {
      ...tokens,
      find: async (id) => {
        const work = this.#current.getStore();
        if (work?.because === 'reuse') {
          const row = await this.#findToken('refresh', id);
          const answer = row && (await this.#repeatableAnswer(row));
          if (answer) {
            work.repeated = { answer, clientId: (row.payload as StoredPayload).clientId };
            return undefined;
          }
        }
        return tokens.find(id);
      },
    };
  }

  async #repeatableAnswer({ consumed_at, answer_sealed }: { consumed_at: Date | null; answer_sealed: Buffer | null }) {
    if (!consumed_at || !answer_sealed || consumed_at.getTime() < this.#clock().getTime() - REPEATED_MS) return null;
    const answer = JSON.parse(this.#box.open(answer_sealed)) as { refresh_token: string };
    const next = await this.#findToken('refresh', answer.refresh_token);
    return next && !next.consumed_at ? answer : null;
  }

  #grants(): Adapter {
    return {
      async upsert() {
        throw new Error('authorizations are created by the page of consent alone');
      },
      find: async (id) => {
        const row = await selectUsableAuthorizations(this.#database, this.#clock())
          .select(['authorizations.user_id', 'apps.app_id', 'authorizations.created_at'])
          .where('authorization_id', '=', id)
          .executeTakeFirst();
        if (!row) return undefined;
        return {
          kind: 'Grant',
          jti: id,
          accountId: row.user_id,
          clientId: row.app_id,
          iat: secondsOf(row.created_at),
          openid: { scope: getCurrentScopes(row).join(' ') },
        };
      },
      async consume() {},
      destroy: async (id) => {
        await endAuthorizations(this.#database, { ids: [id] }, this.#current.getStore()?.because ?? 'reuse');
      },
      ...WITHOUT,
    };
  }

  #clients(): Adapter {
    return {
      ...NOTHING,
      find: async (id) => {
        const app = await findOauthClientApp(this.#database, id);
        return app ? clientOf(app) : undefined;
      },
    };
  }
}

const secondsOf = (at: Date): number => Math.floor(at.getTime() / 1_000);

/** Functions that oidc-provider requires but that need no effect here. */
const WITHOUT = {
  async revokeByGrantId() {},
  async findByUid() {
    return undefined;
  },
  async findByUserCode() {
    return undefined;
  },
};

/** Adapter for models that are not stored. */
const NOTHING: Adapter = {
  async upsert() {},
  async find() {
    return undefined;
  },
  async consume() {},
  async destroy() {},
  ...WITHOUT,
};

/** Converts an app to client metadata of the authorization server (RFC 7591). server.ts compares the app's secret by its SHA-256. */
function clientOf(app: OauthClientApp): StoredPayload {
  const isPublic = app.client_secret_sha256 === null;
  return {
    client_id: app.app_id,
    client_name: app.name,
    client_uri: app.website,
    // Only a client of type `native` may use any port in a loopback redirect URI (RFC 8252, 7.3).
    application_type: isPublic ? 'native' : 'web',
    redirect_uris: app.redirect_uris,
    response_types: ['code'],
    grant_types: ['authorization_code', 'refresh_token', ...(isPublic ? [] : ['client_credentials'])],
    scope: app.scopes.join(' '),
    token_endpoint_auth_method: isPublic ? 'none' : 'client_secret_basic',
    ...(app.client_secret_sha256 && { client_secret: app.client_secret_sha256.toString('hex') }),
  };
}
