import { Agent, request } from 'node:https';
import { createApp } from '#src/auth/apps.ts';
import { createAuthorization } from '#src/auth/authorizations.ts';
import { createSecret, hashApiKey } from '#src/auth/key-format.ts';
import { createKey } from '#src/auth/keys.ts';
import { HOUR_MS } from '#src/core/units.ts';
import { createDatabase, type Database } from '#src/database/connect.ts';
import { createUser } from '#src/users/store.ts';
import type { BenchmarkResult } from './answer.ts';
import { runWithApiServer } from './api.ts';
import { computeMedian, computeQuantile, startBenchmarkDatabase } from './support.ts';

const HOMES = 1_000;
const CONNECTIONS = 16;
/** `--quick`: a short run, which only checks that the benchmark works. */
const IS_QUICK = process.argv.includes('--quick');
const [ROUNDS, REQUESTS] = IS_QUICK ? [1, 1_000] : [3, 8_000];
const RANGE = { start: '2026-06-01', end: '2026-06-30' };
const PATH = `/v1/energy-insights?start=${RANGE.start}&end=${RANGE.end}`;
const SCOPES = ['insights:read'] as const;

/** Credentials for the data of one home: an app's access token, and a key of the home's owner. */
interface Credentials {
  token: string;
  key: string;
}
type Kind = keyof Credentials;

/**
 * Measures how much longer a request with an app's access token takes than a request with a key (p50 and p99). Each request is for another
 * home than the one before, so that caches have the same effect on both.
 */
export async function runBenchmark(): Promise<BenchmarkResult> {
  const database = await startBenchmarkDatabase();
  try {
    const homes = await createHomes(createDatabase(database.pool));
    await database.pool.query(
      `INSERT INTO closed_user_daily SELECT user_id, d, 12345678, 0, 0, 96, 86400000, 0, d + interval '18 hours'
       FROM users, generate_series($1::timestamptz, $2::timestamptz, interval '1 day') d WHERE role = 'homeowner'`,
      [RANGE.start, RANGE.end],
    );
    await database.pool.query('VACUUM ANALYZE');
    const rounds = await runWithApiServer(['full', database.url, '', RANGE.start, RANGE.end], (port) =>
      measure(port, homes),
    );
    const of = (kind: Kind, share: number) =>
      round(computeMedian(rounds.map((one) => computeQuantile(one[kind], share))));
    const ratioOf = (share: number) =>
      round(computeMedian(rounds.map(({ token, key }) => computeQuantile(token, share) / computeQuantile(key, share))));
    const results = {
      token: { p50_ms: of('token', 0.5), p99_ms: of('token', 0.99) },
      key: { p50_ms: of('key', 0.5), p99_ms: of('key', 0.99) },
    };
    const ratios = { token_to_key_p50: ratioOf(0.5), token_to_key_p99: ratioOf(0.99) };
    return {
      lines: [
        ...(['token', 'key'] as const).map(
          (kind) => `with a ${kind.padEnd(5)}   p50 ${results[kind].p50_ms} ms   p99 ${results[kind].p99_ms} ms`,
        ),
        '',
        `token / key   p50 ${ratios.token_to_key_p50}   p99 ${ratios.token_to_key_p99}`,
      ],
      json: { homes: HOMES, connections: CONNECTIONS, requests: ROUNDS * REQUESTS, results, ratios },
      goals: [
        {
          what: `p99 of a request with a token ÷ one with a key, ${HOMES.toLocaleString('en')} authorizations`,
          measured: ratios.token_to_key_p99,
          goal: { atMost: 1.2 },
        },
      ],
    };
  } finally {
    await database.remove();
  }
}

const round = (value: number): number => Math.round(100 * value) / 100;

/** Creates the homes, each with a key, and an app that all of them have authorized. Returns their credentials. */
async function createHomes(db: Database): Promise<Credentials[]> {
  const { user_id: owner } = await createUser(db, { email: 'app@example.com', role: 'utility' });
  const now = new Date();
  const { app } = await createApp(
    db,
    owner,
    {
      name: 'Bench',
      website: 'https://example.com/',
      type: 'confidential',
      redirect_uris: ['https://example.com/'],
      notification_url: null,
      scopes: [...SCOPES],
    },
    now,
  );
  const homes: Credentials[] = [];
  for (let index = 0; index < HOMES; index++) {
    const { user_id: homeId } = await createUser(db, { email: `${index}@example.com`, role: 'homeowner' });
    const { key } = await createKey(db, { userId: homeId, environment: 'live', scopes: [...SCOPES] });
    const authorization_id = await db
      .transaction()
      .execute((trx) => createAuthorization(trx, { homeId, app, scopes: SCOPES, days: 30, now }));
    const token = createSecret('eus_at_');
    await db
      .insertInto('oauth_tokens')
      .values({
        token_sha256: hashApiKey(token),
        kind: 'access',
        authorization_id,
        app_id: null,
        payload: JSON.stringify({ scope: SCOPES.join(' ') }),
        expires_at: new Date(now.getTime() + HOUR_MS),
      })
      .execute();
    homes.push({ token, key });
  }
  return homes;
}

/** Sends the requests of all rounds, after a first round that is not measured. Returns the durations of each round in ms. */
async function measure(port: number, homes: readonly Credentials[]): Promise<Record<Kind, number[]>[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS, rejectUnauthorized: false });
  const rounds: Record<Kind, number[]>[] = [];
  let sent = 0;
  for (let index = 0; index <= ROUNDS; index++) {
    process.stderr.write(index === 0 ? 'warming up …\n' : `round ${index} …\n`);
    const times: Record<Kind, number[]> = { token: [], key: [] };
    const until = sent + (index === 0 ? 2 * HOMES : 2 * REQUESTS);
    const work = async () => {
      while (sent < until) {
        const at = sent++;
        const kind: Kind = at % 2 === 0 ? 'token' : 'key';
        // The token and the key of a home are not used in consecutive requests: requests for half of the homes lie between them.
        const home = homes[((at >> 1) + (kind === 'key' ? HOMES / 2 : 0)) % HOMES] as Credentials;
        times[kind].push(await timeOf(agent, port, home[kind]));
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, work));
    if (index > 0) rounds.push(times);
  }
  agent.destroy();
  return rounds;
}

/** Returns the time from a request to the end of its response, in ms. Fails unless the status is 200. */
function timeOf(agent: Agent, port: number, credential: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const fromMs = performance.now();
    const headers = { authorization: `Bearer ${credential}` };
    request({ agent, port, host: '127.0.0.1', path: PATH, headers }, (response) => {
      response.resume().once('end', () => {
        if (response.statusCode === 200) resolve(performance.now() - fromMs);
        else reject(new Error(`a response was ${response.statusCode}`));
      });
    })
      .on('error', reject)
      .end();
  });
}
