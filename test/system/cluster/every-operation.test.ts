import { createServer, type Server } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OPERATIONS } from '#src/api/v1/operations.ts';
import { setCell } from '#src/core/cell.ts';
import { startTestApi, type TestApi, type TestApiResponse } from '#test/support/api.ts';
import { type RouterGroup, startRouters } from '#test/support/cluster/router.ts';
import { callEachOperation } from '#test/support/each-operation.ts';

/** The API of the cell c2. The router in front of it also knows the first cell, which refuses every connection. */
let api: TestApi;
let routers: RouterGroup;
let down: Server;
let port: number;

beforeAll(async () => {
  setCell('c2');
  api = await startTestApi({ trustProxy: ['127.0.0.1'] });
  down = createServer((socket) => socket.destroy());
  const refusing: number = await new Promise((done) =>
    down.listen(0, '127.0.0.1', () => done((down.address() as { port: number }).port)),
  );
  const first = { api: refusing, mqtt: refusing };
  routers = await startRouters({ tls: api.tls, first, c2: { api: api.port, mqtt: refusing } });
  port = routers.all[0].ports.api;
});
afterAll(async () => {
  setCell(undefined);
  await routers?.stop();
  down?.close();
  await api?.close();
});

/** Headers that differ between two responses to the same request, or that only the router or only the direct connection adds. */
const OF_ONE_RESPONSE = [
  'date',
  'request-id',
  'energy-cell',
  'connection',
  'keep-alive',
  'transfer-encoding',
  'ratelimit',
];

/** The part of a response that must be the same from the cell itself and through the router. */
function comparable({ status, headers, text }: TestApiResponse) {
  return {
    status,
    text,
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_ONE_RESPONSE.includes(name))),
  };
}

/** Sends a GET to the cell and through the router, and asserts that the responses are the same. Returns the second response. */
async function getTwice(path: string, key: string | undefined, headers: Record<string, string> = {}) {
  const sent = { headers, ...(key === undefined ? {} : { key }) };
  const direct = await api.send(path, sent);
  const routed = await api.send(path, { ...sent, port });
  expect({ path, ...comparable(routed) }).toEqual({ path, ...comparable(direct) });
  expect(routed.headers['energy-cell']).toBe('c2');
  return routed;
}

test('every operation succeeds through the router, and every GET has the response of the cell itself', async () => {
  const called = new Set<string>();
  await callEachOperation(api, async ({ key }, name, { method, path, body }) => {
    const answer = method === 'GET' ? await getTwice(path, key) : await api.send(path, { method, key, body, port });
    expect({ name, status: answer.status, cell: answer.headers['energy-cell'], text: answer.text }).toMatchObject({
      status: expect.toSatisfy((status: number) => status < 300),
      cell: 'c2',
    });
    called.add(name);
    return answer.json;
  });
  const others = OPERATIONS.map(({ name }) => name).filter((name) => !called.has(name));
  expect(others.toSorted()).toEqual(['exportUser', 'streamUsage']);
});

test('a refused request has the response of the cell itself', async () => {
  const [home, other] = [await api.user('homeowner'), await api.user('homeowner')];
  const { key } = home;
  const paths = [
    `/v1/users/${other.userId}`,
    '/v1/devices/dev_c2_none',
    '/v1/devices/dev_none',
    '/v1/nothing',
    '/v1/energy-insights?start=never',
    '/v1/energy-insights?start=2026-06-14&end=2026-06-01',
    '/v1/audit',
  ];
  const statuses = [];
  for (const path of paths) statuses.push((await getTwice(path, key)).status);
  expect(statuses).toEqual([403, 404, 404, 404, 422, 422, 403]);
  expect((await getTwice('/v1/devices', `eus_live_c2_${'x'.repeat(42)}`)).status).toBe(401);
  expect((await getTwice('/v1/devices', undefined)).status).toBe(401);
});
