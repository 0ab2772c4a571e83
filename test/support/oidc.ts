import { generateKeyPairSync, sign } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';
import { generate } from 'selfsigned';

type Claims = Record<string, unknown>;

/** A real OpenID Connect provider over TLS, with its own certificate authority. */
export interface OidcServer {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** Certificate of the provider's certificate authority, as PEM. */
  ca: string;
  /** Claims of the people who can sign in, by login name. The provider accepts any password. */
  people: Map<string, Claims>;
  /**
   * Faults of the provider. `answers`: wrong responses, by the end of the request's path. `idToken`, `signing`: wrong claims or signature
   * of the ID token.
   */
  faults: {
    answers: Map<string, (request: IncomingMessage, response: ServerResponse) => void>;
    idToken?: ((claims: Claims) => Claims) | undefined;
    signing?: 'none' | 'another key' | 'the secret' | undefined;
  };
  /** Returns the number of received requests whose path ends with `path`. */
  asked(path: string): number;
  /** Signs in at the provider like a browser. Returns the URL to which the provider redirects back. */
  signIn(location: string, login: string): Promise<string>;
  /** Registers this running service with the provider. Until then, the provider does not respond. */
  serve(serviceUrl: string): void;
  close(): Promise<void>;
}

export async function startOidcServer(): Promise<OidcServer> {
  const authority = await generate([{ name: 'commonName', value: 'Authority of the test' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [{ name: 'basicConstraints', cA: true, critical: true }],
  });
  const pair = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    ca: { key: authority.private, cert: authority.cert },
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }],
  });
  const clientId = 'energy';
  const clientSecret = 'the secret of the client: 32 characters';
  const people: OidcServer['people'] = new Map();
  const faults: OidcServer['faults'] = { answers: new Map() };
  const counts = new Map<string, number>();
  const keys = [
    generateKeyPairSync('rsa', { modulusLength: 2_048 }),
    generateKeyPairSync('rsa', { modulusLength: 2_048 }),
  ];
  const [own, foreign] = keys.map(({ privateKey }) => privateKey);
  if (!own || !foreign) throw new Error('no keys');

  let handle: (request: IncomingMessage, response: ServerResponse) => void = () => {};
  const server = createServer({ cert: pair.cert, key: pair.private }, (incoming, response) => {
    const path = (incoming.url ?? '').split('?')[0]?.split('/').pop() ?? '';
    counts.set(path, (counts.get(path) ?? 0) + 1);
    (faults.answers.get(path) ?? handle)(incoming, response);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const issuer = `https://localhost:${(server.address() as AddressInfo).port}`;
  const serve = (serviceUrl: string) => {
    const provider = new Provider(issuer, {
      clients: [
        {
          client_id: clientId,
          client_secret: clientSecret,
          redirect_uris: [`${serviceUrl}/dashboard/sign-in/callback`],
          post_logout_redirect_uris: [`${serviceUrl}/dashboard/sign-in`],
        },
      ],
      jwks: { keys: [{ ...own.export({ format: 'jwk' }), kid: 'own', use: 'sig', alg: 'RS256' }] },
      claims: { openid: ['sub', 'groups', '_claim_names'], email: ['email', 'email_verified', 'xms_edov'] },
      cookies: { keys: ['the cookies of the test'] },
      pkce: { required: () => true },
      ttl: { Interaction: 600, Grant: 600, Session: 600, AccessToken: 600, IdToken: 600, AuthorizationCode: 60 },
      // Grants consent without asking: consent is between the provider and its users.
      // biome-ignore lint/suspicious/noExplicitAny: the package has no types
      loadExistingGrant: async (context: { oidc: any }) => {
        const { client, account, provider: its } = context.oidc;
        const grant = new its.Grant({ clientId: client.clientId, accountId: account.accountId });
        grant.addOIDCScope('openid email');
        await grant.save();
        return grant;
      },
      findAccount: async (_context: unknown, login: string) => {
        const claims = people.get(login);
        return claims && { accountId: login, claims: async () => ({ sub: login, ...claims }) };
      },
    });
    provider.use(async (context, next) => {
      await next();
      const body = context.body as { id_token?: string } | undefined;
      if (context.path !== '/token' || body?.id_token === undefined) return;
      if (faults.idToken || faults.signing) body.id_token = forged(body.id_token);
    });
    handle = provider.callback();
  };

  /** Returns the ID token with other claims or another signature. */
  function forged(token: string): string {
    const [head = '', payload = ''] = token.split('.');
    const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());
    const write = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url');
    const alg = faults.signing === 'none' ? 'none' : 'RS256';
    const text = `${write({ ...read(head), alg })}.${write(faults.idToken?.(read(payload)) ?? read(payload))}`;
    if (faults.signing === 'none') return `${text}.`;
    const key = faults.signing === 'another key' ? foreign : own;
    return `${text}.${sign('sha256', Buffer.from(text), key as NonNullable<typeof own>).toString('base64url')}`;
  }

  return {
    issuer,
    clientId,
    clientSecret,
    ca: authority.cert,
    people,
    faults,
    serve,
    asked: (path) => counts.get(path) ?? 0,
    async signIn(location, login) {
      const cookies = new Map<string, string>();
      let at = location;
      let form: string | undefined;
      for (let step = 0; step < 10; step++) {
        const answer = await ask(at, { ca: authority.cert, cookies, form });
        form = undefined;
        if (answer.location !== undefined) {
          at = new URL(answer.location, at).href;
          if (!at.startsWith(issuer)) return at;
        } else if (/name="login"/.test(answer.text)) {
          at = new URL(/action="([^"]+)"/.exec(answer.text)?.[1] ?? '', at).href;
          form = new URLSearchParams({ prompt: 'login', login, password: 'any' }).toString();
        } else throw new Error(`${answer.status}: ${answer.text.slice(0, 500)}`);
      }
      throw new Error('the provider led nowhere');
    },
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

interface Asking {
  ca: string;
  cookies: Map<string, string>;
  form: string | undefined;
}

/** Sends a request like a browser, with the cookies that earlier responses have set. */
function ask(
  url: string,
  { ca, cookies, form }: Asking,
): Promise<{ status: number; location: string | undefined; text: string }> {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const type = form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' };
  return new Promise((resolve, reject) => {
    const outgoing = request(
      url,
      { ca, method: form === undefined ? 'GET' : 'POST', headers: { cookie, ...type } },
      (answer) => {
        for (const set of answer.headers['set-cookie'] ?? []) {
          const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
          cookies.set(name, value);
        }
        let text = '';
        answer.on('data', (chunk) => {
          text += chunk;
        });
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, location: answer.headers.location, text }));
      },
    );
    outgoing.on('error', reject);
    outgoing.end(form);
  });
}
