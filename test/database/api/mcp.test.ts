import { describe, expect, test } from 'vitest';
import { createExpectedErrorBody, startTestApi, TEST_URL } from '#test/support/api.ts';
import { connectMcpClient, trustCertificateOfTestApi } from '#test/support/mcp.ts';
import { ASSISTANT_ORIGIN, anna, api, MAY_ARGUMENTS, ofAnna, setUpMcpHomes } from '#test/support/mcp-homes.ts';

/** The endpoint of the tools for AI assistants: its protocol, requests of hostile clients, and limits. */
setUpMcpHomes();

describe('the MCP endpoint', () => {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
  const accept = { accept: 'application/json, text/event-stream' };
  const post = (raw: string | Buffer, headers: Record<string, string> = {}, key = anna.key) =>
    fetch(`https://localhost:${api.port}/mcp`, {
      method: 'POST',
      body: typeof raw === 'string' ? raw : new Uint8Array(raw),
      headers: { 'content-type': 'application/json', ...accept, authorization: `Bearer ${key}`, ...headers },
    });

  test('refuses pages of other origins before it checks the key, and accepts those of CORS_ORIGINS', async () => {
    for (const origin of ['https://evil.example', 'null', `${ASSISTANT_ORIGIN}.evil.example`, 'http://localhost']) {
      const refused = await post(JSON.stringify(message), { origin }, 'eus_live_none');
      expect({ origin, status: refused.status, body: await refused.json() }).toEqual({
        origin,
        status: 403,
        body: createExpectedErrorBody('originNotAllowed'),
      });
    }
    const served = await post(JSON.stringify(message), { origin: ASSISTANT_ORIGIN });
    expect([served.status, served.headers.get('access-control-allow-origin')]).toEqual([200, ASSISTANT_ORIGIN]);
    const asked = { origin: ASSISTANT_ORIGIN, 'access-control-request-method': 'POST' };
    const preflight = await api.send('/mcp', { method: 'OPTIONS', headers: asked });
    expect(preflight.status).toBe(204);
    expect(preflight.headers['access-control-allow-headers']).toContain('Energy-Allow-Write');
  });

  test('accepts the key in Authorization only, and names its metadata', async () => {
    const refused = await api.send(`/mcp?key=${anna.key}`, {
      method: 'POST',
      body: message,
      headers: { 'x-api-key': anna.key },
    });
    expect(refused.status).toBe(401);
    const metadata = `${TEST_URL}/.well-known/oauth-protected-resource/mcp`;
    expect(refused.headers['www-authenticate']).toMatch(`resource_metadata="${metadata}"`);
    expect((await api.send('/v1/devices')).headers['www-authenticate']).not.toMatch('resource_metadata');
    for (const path of ['', '/mcp']) {
      const { status, json } = await api.send(`/.well-known/oauth-protected-resource${path}`);
      expect({ status, json }).toMatchObject({
        status: 200,
        json: { resource: `${TEST_URL}${path}`, bearer_methods_supported: ['header'] },
      });
    }
  });

  test('stores no session, and offers no event stream', async () => {
    const opened = await post(
      JSON.stringify({
        ...message,
        method: 'initialize',
        params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
      }),
    );
    expect([opened.status, opened.headers.get('mcp-session-id'), opened.headers.get('content-type')]).toEqual([
      200,
      null,
      'application/json; charset=utf-8',
    ]);
    for (const method of ['GET', 'DELETE']) {
      const refused = await fetch(`https://localhost:${api.port}/mcp`, {
        method,
        headers: { ...accept, authorization: `Bearer ${anna.key}` },
      });
      expect([method, refused.status, refused.headers.get('allow')]).toEqual([method, 405, 'POST']);
    }
  });

  test('answers hostile bodies with 4xx, and continues', async () => {
    const nested = `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`;
    const bodies: (string | Buffer)[] = [
      '',
      'null',
      '1',
      '"text"',
      '{',
      '{}',
      '[]',
      JSON.stringify([message, { ...message, id: 2 }]),
      JSON.stringify(Array(1_000).fill(message)),
      JSON.stringify({ ...message, jsonrpc: '1.0' }),
      JSON.stringify({ ...message, id: { a: 1 } }),
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_homes","arguments":${nested}}}`,
      Buffer.alloc(2_000_000, 0x20),
      Buffer.from([0xff, 0xfe, 0x00]),
    ];
    for (const body of bodies) {
      const { status } = await post(body);
      expect({ body: String(body).slice(0, 60), isRefused: status >= 400 && status < 500 }).toEqual({
        body: String(body).slice(0, 60),
        isRefused: true,
      });
    }
    expect((await post('{}', { 'content-type': 'text/plain' })).status).toBe(400);
    expect((await post(JSON.stringify(message), { accept: 'text/html' })).status).toBe(406);
    expect((await post(JSON.stringify(message), { 'mcp-protocol-version': 'x' })).status).toBe(400);
    // If arguments are invalid, the tool's result contains the error. If the arguments are not an object, the client gets a protocol error.
    for (const values of [
      { start: 'x', end: 'y' },
      { start: ['2026-05-01'], end: { a: 1 } },
      { group_by: 'century', ...MAY_ARGUMENTS },
      { __proto__x: 1 },
      { constructor: 'x' },
      { include: 'cost; DROP TABLE users', ...MAY_ARGUMENTS },
      { start: '1970-01-01', end: '2026-06-01', group_by: 'hour' },
    ])
      expect({ values, status: await ofAnna.refusalOf('energy_insights', values) }).toEqual({ values, status: 422 });
    // Ten months of hourly rows are too many for an AI assistant.
    const long = {
      start: '2025-09-01',
      end: '2026-06-10',
      group_by: 'hour',
      include: 'coverage,grid_import,estimated',
    };
    expect(await ofAnna.refusalOf('energy_insights', long)).toBe(422);
    await expect(ofAnna.client.callTool({ name: 'constructor', arguments: {} })).rejects.toThrow('There is no tool');
    const stream = { jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params: {} };
    expect((await (await post(JSON.stringify(stream))).json()).error).toBeDefined();
    expect((await ofAnna.ask('list_homes')).data).toHaveLength(1);
  });
});

test('every message counts as one request of the account, and is refused with 429 beyond its limits', async () => {
  const limits = { minute: 9, day: 1_000 };
  const small = await startTestApi({
    limits: { free: limits, developer: limits, enterprise: limits, address: limits },
  });
  try {
    trustCertificateOfTestApi(small);
    const { key } = await small.user('homeowner');
    // Nine requests are allowed in a minute. The client needs four to connect, and then calls a tool three times.
    const client = await connectMcpClient(small, key);
    for (let count = 0; count < 3; count++) await client.ask('list_homes');
    expect((await small.send('/v1/devices', { key })).headers.ratelimit).toMatch(/^"minute";r=1;/);
    await client.ask('list_homes');
    await expect(client.ask('list_homes')).rejects.toThrow();
    expect((await small.send('/v1/devices', { key })).status).toBe(429);
  } finally {
    await small.close();
  }
});
