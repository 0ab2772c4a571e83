import { once } from 'node:events';
import { request as requestHttps } from 'node:https';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '#test/support/api.ts';

/** Client addresses that the handler of `/left` reads after the client has closed the connection. */
const leftFrom: (string | undefined)[] = [];
const lines: Record<string, unknown>[] = [];
let api: TestApi;
beforeAll(async () => {
  const stream = new Writable({
    write(chunk, _encoding, done) {
      lines.push(JSON.parse(String(chunk)));
      done();
    },
  });
  api = await startTestApi({
    log: pino({ level: 'debug' }, stream),
    beforeListening: (app) => {
      app.get('/broken', () => {
        throw new Error('password of the database: hunter2');
      });
      app.get('/left', async (request) => {
        await once(request.raw.socket, 'close');
        leftFrom.push(request.ip);
        return {};
      });
    },
  });
});
afterAll(() => api.close());

test('every answer has a request id, and the log one line for it, without path, query or key', async () => {
  const { key, userId } = await api.user('homeowner');
  const { headers } = await api.send('/v1/devices?limit=3', { key, headers: { 'request-id': 'forged' } });
  const id = headers['request-id'];
  expect(id).toMatch(/^req_[0-9a-z]{26}$/);
  await expect.poll(() => lines.filter((line) => line.reqId === id && line.msg === 'request')).toHaveLength(1);
  expect(lines.find((line) => line.reqId === id && line.msg === 'request')).toMatchObject({
    level: 20,
    method: 'GET',
    route: '/v1/devices',
    status: 200,
    user_id: userId,
  });
  const { headers: refused } = await api.send('/v1/users/usr_somebody', {});
  await expect
    .poll(() => lines.find((line) => line.reqId === refused['request-id'] && line.msg === 'request'))
    .toMatchObject({ level: 30, status: 401, route: '/v1/users/:user_id' });
  const all = JSON.stringify(lines);
  for (const text of [key, 'limit=3', 'forged', 'usr_somebody']) expect(all).not.toContain(text);
});

test('a 500 shows no internals, and has the id under which the log has the details', async () => {
  const { status, json, headers } = await api.send('/broken');
  expect({ status, json }).toEqual({
    status: 500,
    json: {
      error: 'Internal Server Error',
      status: 500,
      code: 'internal',
      doc_url: expect.stringMatching(/#internal$/),
      incident: headers['request-id'],
    },
  });
  expect(JSON.stringify(lines.find((line) => line.reqId === json.incident && line.level === 50))).toContain('hunter2');
});

test('the address of a client is known after it has hung up', async () => {
  const abandoned = requestHttps({ host: '127.0.0.1', port: api.port, path: '/left', rejectUnauthorized: false });
  abandoned.on('error', () => {});
  abandoned.end();
  await once(abandoned, 'finish');
  setTimeout(() => abandoned.destroy(), 200);
  await expect.poll(() => leftFrom).toEqual(['127.0.0.1']);
});
