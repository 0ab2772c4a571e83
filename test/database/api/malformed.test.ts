import { connect } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AnyOperation } from '#src/api/operation.ts';
import { OPERATIONS } from '#src/api/v1/operations.ts';
import { startTestApi, type TestApi, UNLIMITED_REQUEST_COUNTER } from '#test/support/api.ts';

/** Tests of invalid requests of many kinds. Each must get an error response that is not a 5xx and contains no internal names. */
let api: TestApi;
let admin: { userId: string; key: string };
beforeAll(async () => {
  api = await startTestApi({ counter: async () => UNLIMITED_REQUEST_COUNTER });
  admin = await api.user('admin');
});
afterAll(() => api.close());

/** Values that are invalid for most fields: wrong types, extreme values, code of other languages. */
const NASTY: unknown[] = [
  null,
  true,
  0,
  -1,
  1e308,
  '',
  ' ',
  'x'.repeat(10_000),
  '\u0000',
  '\ud800',
  '😀'.repeat(100),
  "'; DROP TABLE users; --",
  ['$', '{7*7}'].join(''),
  '../../etc/passwd',
  '<script>alert(1)</script>',
  '%00',
  [],
  [[]],
  {},
  { $gt: '' },
  { __proto__: { role: 'admin' }, constructor: { prototype: {} } },
  '2026-02-30',
  '0000-00-00',
  'NaN',
];
/** Internal names that no response may contain. They are too long to match a random secret. */
const LEAKS =
  /node_modules|\.ts:\d|at \w+ \(|SELECT |INSERT |relation "|syntax error|kysely|postgres|\bpg_[a-z]{4}|stack|violates/i;

const nameOf = ({ method, path }: AnyOperation) => `${method} ${path}`;
const shapeOf = (schema: unknown): string[] => {
  const { shape, def } = (schema ?? {}) as { shape?: object; def?: { innerType?: unknown } };
  return shape ? Object.keys(shape) : def?.innerType ? shapeOf(def.innerType) : [];
};

/** Maximum length, in characters, of a query that fits into a request line. */
const MAX_QUERY = 8_000;

/**
 * Distributes the fields to be tested over several requests. A field whose value the schema accepts gets a request of its own. Fields with
 * invalid values share requests, up to `most` in each, because the schema reports every invalid field.
 */
function groupFields(schema: AnyOperation['body'], withValue: (field: string) => object, most = Infinity): string[][] {
  const isAccepted = (field: string) => schema?.safeParse(withValue(field)).success ?? false;
  const requests: string[][] = [];
  let together: string[] | undefined;
  for (const field of shapeOf(schema)) {
    if (isAccepted(field)) requests.push([field]);
    else if (together !== undefined && together.length + 1 <= most) together.push(field);
    else {
      together = [field];
      requests.push(together);
    }
  }
  return requests;
}

let sent = 0;
async function expectRefusal(what: string, path: string, options: Parameters<TestApi['send']>[1]): Promise<void> {
  sent++;
  const { status, text } = await api.send(path, { key: admin.key, ...options });
  expect({ what, status: status >= 500 ? status : 'fine', leaks: LEAKS.exec(text)?.[0] }).toEqual({
    what,
    status: 'fine',
    leaks: undefined,
  });
}

test.each(OPERATIONS.map((one) => [nameOf(one), one] as const))(
  '%s rejects invalid values without failing',
  async (name, operation) => {
    const { method, body, query } = operation;
    const turn = OPERATIONS.indexOf(operation as (typeof OPERATIONS)[number]) % NASTY.length;
    const path = operation.path.replace(/\{\w+\}/, 'usr_x');
    const label = (part: string) => `${name} ${part}`;
    for (const [at, value] of NASTY.entries()) {
      const excerpt = JSON.stringify(value)?.slice(0, 40);
      const asText = encodeURIComponent(
        typeof value === 'string' ? value.replaceAll('\ud800', '?') : String(JSON.stringify(value)),
      );
      // A path contains only text, so in a path only strings are tested.
      if (operation.path.includes('{') && typeof value === 'string') {
        await expectRefusal(
          label(`id ${excerpt}`),
          operation.path.replace(/\{\w+\}/, asText.slice(0, 4_000) || '%20'),
          {
            method,
            ...(body ? { body: {} } : {}),
          },
        );
      }
      const cut = asText.slice(0, 4_000);
      const received = decodeURIComponent(cut);
      for (const fields of groupFields(query, (field) => ({ [field]: received }), MAX_QUERY / cut.length)) {
        const asked = fields.map((field) => `${field}=${cut}`).join('&');
        await expectRefusal(label(`?${fields}=${excerpt}`), `${path}?${asked}`, { method });
      }
      if (!body) continue;
      // All operations respond in the same way to an invalid body. Each is therefore tested with only one of the invalid values, and with
      // those that its schema accepts.
      if (at === turn || body.safeParse(value).success)
        await expectRefusal(label(`body ${excerpt}`), path, { method, raw: String(JSON.stringify(value)) });
      for (const fields of groupFields(body, (field) => ({ [field]: value }))) {
        const raw = JSON.stringify(Object.fromEntries(fields.map((field) => [field, value])));
        await expectRefusal(label(`${fields}: ${excerpt}`), path, { method, raw });
      }
    }
  },
  60_000,
);

test('bodies that are not JSON, of any size, type and encoding, are refused on every operation with a body', async () => {
  const withBody: AnyOperation[] = OPERATIONS.filter(({ body }) => body);
  /** Operations with their own body parser or body limit, and one operation with the common parser and limit. */
  const parsers = withBody.filter(
    ({ csvBody, senmlBody, exactNumbers, bodyLimitBytes }, at) =>
      at === 0 || csvBody || senmlBody || exactNumbers || bodyLimitBytes !== undefined,
  );
  /** Kinds of bodies that the parser accepts. */
  const parsed = ['duplicate keys', 'prototype', 'BOM', 'no type'];
  const raws: [string, string | Buffer, Record<string, string>][] = [
    ['half', '{"a":', {}],
    ['two', '{}{}', {}],
    ['comment', '{/* */}', {}],
    ['deep', `${'['.repeat(50_000)}${']'.repeat(50_000)}`, {}],
    ['duplicate keys', '{"type":"a","type":"b"}', {}],
    ['prototype', '{"__proto__":{"role":"admin"}}', {}],
    ['bytes', Buffer.from([0xff, 0xfe, 0x00, 0x01]), {}],
    ['UTF-16', Buffer.from('{}', 'utf16le'), {}],
    ['BOM', '\ufeff{}', {}],
    ['large', JSON.stringify({ a: 'x'.repeat(1_100_000) }), {}],
    ['xml', '<a/>', { 'content-type': 'application/xml' }],
    ['form', 'a=b', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['multipart', '--x', { 'content-type': 'multipart/form-data; boundary=x' }],
    ['no type', '{}', { 'content-type': '' }],
    ['gzip', Buffer.from([0x1f, 0x8b, 0x08]), { 'content-encoding': 'gzip' }],
  ];
  for (const operation of withBody) {
    for (const [what, raw, headers] of raws) {
      if (!parsers.includes(operation) && !parsed.includes(what)) continue;
      await expectRefusal(`${nameOf(operation)} ${what}`, operation.path.replace(/\{\w+\}/, 'x'), {
        method: operation.method,
        raw,
        headers,
      });
    }
  }
});

test('text in another encoding than UTF-8 is refused, and not stored with replaced characters', async () => {
  const latin1 = (text: string) => Buffer.from(text, 'latin1');
  const csv = { 'content-type': 'text/csv' };
  const tariff = '"valid_from":"2026-01-01","currency":"EUR","import":{"per_kwh":"0.3"}';
  const sent: [string, Buffer, Record<string, string>][] = [
    ['/v1/devices', latin1('{"type":"plug","location":"Küche"}'), {}],
    ['/v1/tariffs', latin1(`{"name":"Öko",${tariff}}`), {}],
    ['/v1/imports', latin1(`user_id,type,location\n${admin.userId},plug,Küche\n`), csv],
  ];
  for (const [path, raw, headers] of sent) {
    const { status, json } = await api.send(path, { method: 'POST', key: admin.key, raw, headers });
    expect({ path, status, details: json.details }).toEqual({
      path,
      status: 400,
      details: [{ field: 'body', message: 'is not UTF-8' }],
    });
  }
});

test('methods that a path does not support are 404 with Allow', async () => {
  for (const method of ['PUT', 'OPTIONS', 'TRACE', 'PROPFIND', 'HEAD']) {
    for (const path of new Set(OPERATIONS.map((one) => one.path))) {
      sent++;
      const { status } = await api.send(path.replace(/\{\w+\}/, 'x'), { method, key: admin.key });
      // Wherever GET is supported, HEAD is supported, too.
      expect({ method, path, is5xx: status >= 500 }).toEqual({ method, path, is5xx: false });
    }
  }
});

test('requests that violate HTTP itself get 400 in JSON, or only a closed connection', async () => {
  const broken = [
    'GET / HTTP/1.1\r\n\r\n',
    'GET /v1/users HTTP/9.9\r\nHost: x\r\n\r\n',
    `GET /${'x'.repeat(70_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
    `GET / HTTP/1.1\r\nHost: x\r\n${'A: b\r\n'.repeat(5_000)}\r\n`,
    'POST /v1/users HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n{}',
    'POST /v1/users HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n',
    'POST /v1/users HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
    'GET /\0 HTTP/1.1\r\nHost: x\r\n\r\n',
    '\x16\x03\x01',
    'nonsense\r\n\r\n',
  ];
  for (const text of broken) {
    sent++;
    const answer = await new Promise<string>((resolve) => {
      const socket = connect({ host: '127.0.0.1', port: api.port, rejectUnauthorized: false }, () =>
        socket.write(text),
      );
      let all = '';
      socket.on('data', (chunk) => {
        all += chunk;
      });
      socket.on('error', () => resolve(all));
      socket.on('close', () => resolve(all));
      setTimeout(() => socket.destroy(), 300);
    });
    expect({ text: text.slice(0, 40), fine: !/^HTTP\/1\.1 5/.test(answer) && !LEAKS.test(answer) }).toEqual({
      text: text.slice(0, 40),
      fine: true,
    });
  }
  expect((await api.send('/healthz')).status).toBe(200);
});

test('the tests sent at least five hundred requests', () => {
  expect(sent).toBeGreaterThan(500);
});
