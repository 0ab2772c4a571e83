import { request } from 'node:https';
import { type Logger, pino } from 'pino';
import { expect } from 'vitest';
import { createMessageDiagnoser } from '#ingest/gateways/diagnose-message.ts';
import { HttpsReadingsWriter } from '#ingest/https-readings.ts';
import { createReadingBatchWriter } from '#ingest/write/writer.ts';
import { buildApp } from '#src/api/app.ts';
import type { ApiContext } from '#src/api/context.ts';
import { errorSchema } from '#src/api/shapes.ts';
import { OPERATIONS } from '#src/api/v1/operations.ts';
import { createAuthenticator } from '#src/auth/authenticate.ts';
import { createDatabaseRequestCounter } from '#src/auth/database-counter.ts';
import { createKey } from '#src/auth/keys.ts';
import type { Limits, RequestCounter } from '#src/auth/request-counter.ts';
import type { Scope } from '#src/auth/scopes.ts';
import type { SignIn } from '#src/auth/sign-ins.ts';
import { ERROR_DEFINITIONS, type ErrorName, formatErrorCode } from '#src/core/errors.ts';
import { createSecretEncrypter } from '#src/core/secrets.ts';
import { createCalculator } from '#src/cost/calculator.ts';
import { createDatabase, type Database } from '#src/database/connect.ts';
import { createUser, type Role } from '#src/users/store.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { addToLoadProfile, COMPLETE_QUARTER_HOUR_MEASURES } from './load-profile.ts';
import { type LocalCertificate, makeLocalCertificate } from './local-certificate.ts';

export interface TestApiResponse {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  /** Body of the response as received, before parsing. */
  bytes: Buffer;
  // biome-ignore lint/suspicious/noExplicitAny: a response can have any form; each test asserts the form
  json: any;
}

interface Sent {
  method?: string;
  key?: string;
  body?: unknown;
  /** Raw body, sent unchanged instead of `body`. */
  raw?: string | Buffer;
  headers?: Record<string, string>;
  /** Port of a proxy in front of the API, on the loopback interface. */
  port?: number;
}

/** The service's API with a real TLS server and its own database. */
export interface TestApi {
  app: ReturnType<typeof buildApp>;
  database: TestDatabase;
  db: Database;
  port: number;
  /** Certificate of the server. */
  tls: LocalCertificate;
  /** Current time of the API's clock. A test can set it. */
  now: Date;
  /** Sign-in links and codes that the API has mailed. */
  mailed: ({ to: string; language: string } & SignIn)[];
  send(path: string, sent?: Sent): Promise<TestApiResponse>;
  user(role: Role, options?: { enrolledBy?: string; scopes?: Scope[] }): Promise<{ userId: string; key: string }>;
  close(): Promise<void>;
}

/** Public URL of the service. */
export const TEST_URL = 'https://localhost:8443';

let users = 0;
/** TLS key and certificate of all APIs of this test process. */
let certificate: Promise<LocalCertificate> | undefined;

/** Rate limits that no test reaches. */
const many = { minute: 1_000_000, day: 1_000_000 };
const UNLIMITED = { free: many, developer: many, enterprise: many, address: many };

/** Request counter that counts nothing, for tests with thousands of requests. */
export const UNLIMITED_REQUEST_COUNTER: RequestCounter = {
  take: async () => ({ allowed: true, windows: null, retryAfterSeconds: 0 }),
  giveBack: async () => {},
  suspendedForSeconds: async () => 0,
  suspended: async () => new Set(),
};

export async function startTestApi(
  options: {
    limits?: Record<string, Limits>;
    /** Creates the request counter. The default counter stores its counts in the database. */
    counter?: (db: Database, clock: () => Date) => Promise<RequestCounter>;
    trustProxy?: string[];
    corsOrigins?: string[];
    patience?: NonNullable<Parameters<typeof buildApp>[1]['patience']>;
    environment?: 'live' | 'sandbox';
    /** Identity provider with which people sign in to the dashboard. */
    oidc?: NonNullable<Parameters<typeof buildApp>[1]['oidc']>;
    /** Maximum number of database connections that the API and the test use together. */
    connections?: number;
    log?: Logger;
    /** Signal that makes the API close its clients' connections, as before a stop. */
    handOn?: AbortSignal;
    /** Existing database to use instead of a new one. The API drops this database at the end. */
    database?: TestDatabase;
    /** Adds routes or hooks to the app that only this test needs. */
    beforeListening?: (app: ReturnType<typeof buildApp>, context: ApiContext) => void;
  } = {},
): Promise<TestApi> {
  const { environment = 'live', connections } = options;
  const database = options.database ?? (await createTestDatabase(connections === undefined ? {} : { connections }));
  const db = createDatabase(database.pool);
  certificate ??= makeLocalCertificate();
  const pair = await certificate;
  const clock = () => api.now;
  const counter = options.counter
    ? await options.counter(db, clock)
    : createDatabaseRequestCounter(db, options.limits ?? UNLIMITED, clock);
  const judge = createMessageDiagnoser(database.pool);
  const context: ApiContext = {
    db,
    readDb: db,
    clock,
    environment,
    retentionMonths: 13,
    judge,
    sentReadings: new HttpsReadingsWriter(
      createReadingBatchWriter(database.pool, { ageNow: () => api.now.getTime() }),
      () => api.now.getTime(),
    ),
    box: createSecretEncrypter('the secret of the tests'),
    // The limit is higher than in production, because the machine that runs the tests may be busy.
    calculator: createCalculator({ limitMs: 120_000 }),
  };
  const app = buildApp(context, {
    authenticate: createAuthenticator(db, environment),
    counter,
    isReady: async () => true,
    ...(options.trustProxy === undefined ? {} : { trustProxy: options.trustProxy }),
    ...(options.corsOrigins === undefined ? {} : { corsOrigins: options.corsOrigins }),
    ...(options.patience === undefined ? {} : { patience: options.patience }),
    ...(options.handOn === undefined ? {} : { handOn: options.handOn }),
    publicUrl: () => TEST_URL,
    oidc: options.oidc,
    secret: 'the secret of the tests',
    mqtt: { host: 'localhost', ports: null, is_plain_open: false },
    mailSignIn: async (to, signIn, language) => void api.mailed.push({ to, language, ...signIn }),
    tls: { cert: Buffer.from(pair.cert), key: Buffer.from(pair.key) },
    log: options.log ?? pino({ level: 'silent' }),
  });
  options.beforeListening?.(app, context);
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as { port: number };
  const api: TestApi = {
    app,
    database,
    db,
    port,
    tls: pair,
    now: new Date('2026-06-15T12:00:00Z'),
    mailed: [],
    send: (path, sent = {}) =>
      new Promise((resolve, reject) => {
        const { method = 'GET', key, body, raw, headers, port: to = port } = sent;
        const data = raw ?? (body === undefined ? undefined : JSON.stringify(body));
        const outgoing = request(
          {
            host: '127.0.0.1',
            servername: 'localhost',
            port: to,
            path,
            method,
            ca: pair.cert,
            headers: {
              ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
              ...(data === undefined
                ? {}
                : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(data) }),
              ...headers,
            },
          },
          (response) => {
            const chunks: Buffer[] = [];
            response.on('data', (chunk) => chunks.push(chunk));
            // This request resolves with the first chunk of an event stream, because the stream does not end by itself.
            if (String(response.headers['content-type']).startsWith('text/event-stream'))
              response.once('data', () => response.destroy());
            response.on('close', () => {
              const bytes = Buffer.concat(chunks);
              const text = bytes.toString();
              const isJson = /json/.test(response.headers['content-type'] ?? '');
              const answer = {
                status: response.statusCode ?? 0,
                headers: response.headers,
                text,
                bytes,
                json: isJson && text !== '' ? JSON.parse(text) : null,
              };
              try {
                holdToContract(method, path, answer);
                resolve(answer);
              } catch (error) {
                reject(error);
              }
            });
          },
        );
        outgoing.on('error', reject);
        outgoing.end(data);
      }),
    async user(role, options = {}) {
      const { enrolledBy, scopes } = options;
      const email = `${role}${++users}@example.com`;
      const { user_id: userId } = await createUser(db, {
        email,
        role,
        ...(enrolledBy === undefined ? {} : { enrolledBy }),
      });
      const { key } = await createKey(db, { userId, environment, ...(scopes === undefined ? {} : { scopes }) });
      return { userId, key };
    },
    async close() {
      // Closes idle connections repeatedly. Otherwise a connection that becomes idle later would stay open for 72 s.
      const idle = setInterval(() => app.server.closeIdleConnections(), 50);
      await app.close().finally(() => clearInterval(idle));
      await database.drop();
    },
  };
  return api;
}

/** Writes a load profile (energies of quarter-hours in mWh, by start in Unix ms) and all aggregates. */
export async function writeLoadProfile(api: TestApi, userId: string, profile: Map<number, number>): Promise<void> {
  const deviceId = `dev_${userId}`;
  await addToLoadProfile(
    api.database,
    [...profile].map(([startsAtMs, energyMilliwattHours]) => ({
      deviceId,
      userId,
      startsAtMs,
      energyMilliwattHours,
      ...COMPLETE_QUARTER_HOUR_MEASURES,
    })),
  );
}

/** Returns the response body of an error, for `toEqual`. Any documentation URL matches. */
export const createExpectedErrorBody = (name: ErrorName) => ({
  error: ERROR_DEFINITIONS[name].error,
  status: ERROR_DEFINITIONS[name].status,
  code: formatErrorCode(name),
  doc_url: expect.stringMatching(new RegExp(`^https?://[^/]+/docs/reference/errors#${formatErrorCode(name)}$`)),
});

const PATTERNS = OPERATIONS.map((operation) => ({
  operation,
  pattern: new RegExp(`^${operation.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
}));

/** Validates a response against the OpenAPI document. */
function holdToContract(method: string, path: string, { status, json }: TestApiResponse): void {
  if (json === null) return;
  const [plain = ''] = path.split('?');
  // Errors of the authorization server have the format of RFC 6749, section 5.2.
  if (/^\/oauth\/(token|revoke)$/.test(plain) && json.status === undefined) return;
  if (status >= 400) {
    const parsed = errorSchema.safeParse(json);
    const isKnown = Object.entries(ERROR_DEFINITIONS).some(
      ([name, one]) =>
        one.status === status && one.error === json.error && formatErrorCode(name as ErrorName) === json.code,
    );
    if (!parsed.success || json.status !== status || !isKnown)
      throw new Error(`${method} ${plain} ${status}: ${JSON.stringify(json)}`);
    return;
  }
  const operation = PATTERNS.find((one) => one.operation.method === method && one.pattern.test(plain))?.operation;
  if (!operation) return;
  const parsed = operation.answer.safeParse(json);
  if (!parsed.success) throw new Error(`${method} ${operation.path} answered ${JSON.stringify(json)}: ${parsed.error}`);
}
