import { connect } from 'node:http2';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { awaitFirstPage, streamJsonPages } from '#src/api/long-responses.ts';
import { AppError } from '#src/core/errors.ts';
import { startTestApi, type TestApi, writeLoadProfile } from '#test/support/api.ts';

/** Number of requested hours. The service reads them from the database in more than one page. */
const HOURS = 100 * 24;
const PATH = '/v1/energy-insights?start=2026-03-01&end=2026-06-08&group_by=hour';

let api: TestApi;
let home: { userId: string; key: string };
beforeAll(async () => {
  api = await startTestApi({
    beforeListening(app) {
      app.get('/pages/:failing', async ({ params }, reply) => {
        const { failing } = params as { failing: string };
        const pages = async function* () {
          for (let page = 1; page <= 3; page++) {
            if (page === Number(failing)) throw new AppError('unavailable');
            yield [{ page }];
            await new Promise((resolve) => setTimeout(resolve, 100));
          }
        };
        reply.type('application/json; charset=utf-8');
        return reply.send(streamJsonPages({ user_id: 'usr_1' }, await awaitFirstPage(pages())));
      });
    },
  });
  home = await api.user('homeowner');
  const hours = Array.from(
    { length: HOURS },
    (_, hour) => [Date.parse('2026-03-01') + hour * 3_600_000, hour * 1_000] as const,
  );
  await writeLoadProfile(api, home.userId, new Map(hours));
});
afterAll(() => api.close());

const get = (headers = {}, method = 'GET') => api.send(PATH, { key: home.key, headers, method });

test('an answer of more rows than one chunk is complete, as JSON and as CSV', async () => {
  const { status, headers, json } = await get();
  expect([status, headers['content-type'], headers['transfer-encoding']]).toEqual([
    200,
    'application/json; charset=utf-8',
    'chunked',
  ]);
  expect(Object.keys(json)).toEqual(['user_id', 'data']);
  expect(json.data).toHaveLength(HOURS);
  expect(new Set(json.data.map((row: { starts_at: string }) => row.starts_at)).size).toBe(HOURS);
  expect(json.data.at(-1)).toMatchObject({ starts_at: '2026-06-08T23:00:00Z', kwh_used: 2.399 });

  const csv = await get({ accept: 'text/csv' });
  const lines = csv.text.trim().split('\n');
  expect([lines.length, lines[0]]).toEqual([HOURS + 1, 'date,hour,starts_at,kwh_used,peak_hour']);
  expect(lines.at(-1)).toBe('2026-06-08,23:00,2026-06-08T23:00:00Z,2.399,23:00');
});

test('an empty long answer equals a short one', async () => {
  const nothing = PATH.replaceAll('2026', '2020');
  expect((await api.send(nothing, { key: home.key })).json).toEqual({ user_id: home.userId, data: [] });
  const csv = await api.send(nothing, { key: home.key, headers: { accept: 'text/csv' } });
  expect(csv.text).toBe('date,hour,starts_at,kwh_used,peak_hour\n');
});

test('HEAD is answered, too, and other requests are served while a long answer is written', async () => {
  expect(
    [await get({}, 'HEAD'), await get({ accept: 'text/csv' }, 'HEAD')].map(({ status, text }) => [status, text]),
  ).toEqual([
    [200, ''],
    [200, ''],
  ]);
  const answers = await Promise.all([get(), get(), api.send('/v1/devices', { key: home.key }), get()]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
});

test('an error before the first page has its status; a later one ends the answer early', async () => {
  expect((await api.send('/pages/none')).json).toEqual({
    user_id: 'usr_1',
    data: [{ page: 1 }, { page: 2 }, { page: 3 }],
  });
  expect(await api.send('/pages/1')).toMatchObject({ status: 503, json: { status: 503 } });
  // If a later page fails, the service must abort the response. This part tests it over HTTP/2; http2.test.ts tests it over HTTP/1.1, too.
  const session = connect(`https://localhost:${api.port}`, { rejectUnauthorized: false });
  const stream = session.request({ ':path': '/pages/3' });
  let text = '';
  stream.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  const error = await new Promise<Error | null>((resolve) => {
    stream.on('error', resolve);
    stream.on('end', () => setTimeout(() => resolve(null), 1_000));
  });
  session.destroy();
  expect(text).toBe('{"user_id":"usr_1","data":[{"page":1},{"page":2}');
  expect(error?.message).toContain('NGHTTP2_INTERNAL_ERROR');
});
