import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fetchLatestVersion, probeWithTimeout } from './network.ts';

test('returns the reason in one line if a probe hangs, rejects or throws synchronously', async () => {
  expect(await probeWithTimeout(() => new Promise<object>(() => {}), 10)).toEqual({
    why: 'no response within 0.01 s',
    code: 'ETIMEDOUT',
  });
  const refused = Object.assign(new Error('refused\n    at somewhere'), { code: 'ECONNREFUSED' });
  expect(await probeWithTimeout(() => Promise.reject(refused))).toEqual({ why: 'refused', code: 'ECONNREFUSED' });
  // For a host with several addresses, Node throws an error without a message, with an inner error for each address.
  const several = Object.assign(new AggregateError([new Error('a'), new Error('b')]), { code: 'ECONNREFUSED' });
  expect(await probeWithTimeout(() => Promise.reject(several))).toEqual({ why: 'a, b', code: 'ECONNREFUSED' });
  expect(
    await probeWithTimeout(() => {
      throw new Error('at once');
    }),
  ).toEqual({ why: 'at once' });
  expect(await probeWithTimeout(async () => ({ a: 1 }))).toEqual({ a: 1 });
});

describe('the latest version', () => {
  let answer: { status?: number; body: string };
  const server = createServer((_request, response) => response.writeHead(answer.status ?? 200).end(answer.body));
  beforeAll(() => new Promise<void>((done) => server.listen(0, '127.0.0.1', done)));
  afterAll(() => void server.close());
  const at = () => new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/latest`);

  test.each([
    ['of the npm registry', { name: 'energy-usage-service', version: '1.7.0' }, '1.7.0'],
    ['of GitHub', { tag_name: 'v2.0.0-rc.1', body: 'x'.repeat(100_000) }, '2.0.0-rc.1'],
  ])('is read from the answer %s', async (_, body, version) => {
    answer = { body: JSON.stringify(body) };
    expect(await fetchLatestVersion(at())).toEqual({ version });
  });

  test.each([
    [{ body: '<html>' }, /no member/],
    [{ body: 'null' }, /no member/],
    [{ body: '{"version":"1.7.0\\n\\u001b[31m"}' }, /no member/],
    [{ status: 404, body: '{"version":"1.7.0"}' }, /status 404/],
    [{ body: `{"version":"1.7.0","readme":"${'x'.repeat(2 ** 20)}"}` }, /longer than 1 MiB/],
  ])('is unknown if the answer is %o', async (given, why) => {
    answer = given;
    expect(await fetchLatestVersion(at())).toEqual({ why: expect.stringMatching(why) });
  });
});
