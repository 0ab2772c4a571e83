import { assertProbeCondition, defineProbe, expectAllowedValue, type Probe, ProbeFailedError } from '../probe.ts';
import type { AttackedInstallation, Person } from '../world.ts';

const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
const HOOK = { event: 'usage.updated', url: 'https://example.com/x' };

/** Returns a homeowner and a device, which all probes of this file use. */
const home = (world: AttackedInstallation) =>
  world.once('values', async () => {
    const owner = await world.person('homeowner');
    return { owner, device: await world.device(owner) };
  });

interface Try {
  method?: string;
  path: string;
  body?: unknown;
  raw?: string | Buffer;
  headers?: Record<string, string>;
}
type Refused = readonly [
  name: string,
  statuses: readonly number[],
  tries: readonly ((ids: { owner: Person; deviceId: string }) => Try)[],
];

/** Requests with an invalid value, and the expected response. */
const REFUSED: readonly Refused[] = [
  ...['0x10', '1e2', '+5', '5.0', '%205', '-1', '0', '201', '9'.repeat(30), 'NaN'].map(
    (limit): Refused => [`limit=${limit.slice(0, 12)} is 422`, [422], [() => ({ path: `/v1/devices?limit=${limit}` })]],
  ),
  ...['x', '%00', '.', 'dev_00000000000000000000000000', "'%20OR%201=1--", 'eyJhIjoxfQ', 'x'.repeat(199)].map(
    (cursor): Refused => [
      `cursor=${cursor.slice(0, 12)} is 422`,
      [422],
      ['/v1/devices', '/v1/keys', '/v1/webhooks', '/v1/gateways'].map((path) => () => ({
        path: `${path}?cursor=${cursor}`,
      })),
    ],
  ),
  [
    'decoder_config nested 5,000 levels deep is 422',
    [422],
    [
      ({ deviceId }) => ({
        method: 'PATCH',
        path: `/v1/devices/${deviceId}`,
        raw: `{"decoder_config":${nested(5_000)}}`,
      }),
      ({ deviceId }) => ({
        method: 'PATCH',
        path: `/v1/devices/${deviceId}`,
        raw: `{"decoder_config":${nested(150_000)}}`,
      }),
      () => ({ method: 'POST', path: '/v1/gateways', raw: `{"name":${nested(5_000)}}` }),
    ],
  ],
  [
    'a webhook secret that the standard’s libraries cannot use is 422',
    [422],
    [
      '',
      'short',
      'whsec_',
      'whsec_x',
      'whsec_not base64!!!!!!!!!!!!!!!!!!!!!!!!',
      `whsec_${Buffer.alloc(23, 1).toString('base64')}`,
      'gehéimnis',
      'x'.repeat(257),
      'a\nsecret\n',
    ].map((auth_token) => () => ({ method: 'POST', path: '/v1/webhooks', body: { ...HOOK, auth_token } })),
  ],
  [
    'a callback that is not plain HTTPS is 422',
    [422],
    [
      'http://example.com/',
      'ftp://example.com/',
      'https://user:password@example.com/',
      'https://',
      'https:// x',
      'javascript:alert(1)',
      'https://exa\nmple.com',
      `https://example.com/${'x'.repeat(3_000)}`,
      'HTTP://example.com',
    ].map((url) => () => ({
      method: 'POST',
      path: '/v1/webhooks',
      body: { ...HOOK, url, auth_token: 'a long secret' },
    })),
  ],
  [
    'dates that do not exist are 422',
    [422],
    ['2026-02-29', '2026-13-01', '2026-1-1', '0000-00-00', '2026-04-31', "2026-01-01'--", '+002026-01-01'].map(
      (date) => () => ({ path: `/v1/energy-insights?start=${encodeURIComponent(date)}&end=2026-05-01` }),
    ),
  ],
  [
    'more rows than an answer holds are 422',
    [422],
    [() => ({ path: '/v1/energy-insights?start=2000-01-01&end=2026-01-01&group_by=hour' })],
  ],
  [
    'a zone that is none is 422',
    [422],
    ['Mars/Phobos', '../../etc/passwd', "UTC'", 'Europe/Berlin%00', '', 'x'.repeat(5_000)].map((zone) => () => ({
      path: `/v1/energy-insights?tz=${zone}`,
    })),
  ],
  [
    'unknown members, __proto__ too, are refused',
    [400, 422],
    ['{"name":"x","admin":true}', '{"name":"x","__proto__":{"role":"admin"}}', '{"name":"x","constructor":{}}'].map(
      (raw) => () => ({ method: 'POST', path: '/v1/gateways', raw }),
    ),
  ],
  [
    'unknown and repeated parameters are 400',
    [400],
    ['?admin=true', '?limit=1&limit=2', '?__proto__=1', '?constructor=1'].map((query) => () => ({
      path: `/v1/devices${query}`,
    })),
  ],
  [
    'bodies of another type, size or encoding are 400',
    [400],
    [
      () => ({ method: 'POST', path: '/v1/gateways', raw: '<x/>', headers: { 'content-type': 'application/xml' } }),
      () => ({ method: 'POST', path: '/v1/gateways', raw: '{"name":"x"}', headers: { 'content-type': 'text/plain' } }),
      () => ({ method: 'POST', path: '/v1/gateways', raw: '{"name":' }),
      () => ({ method: 'POST', path: '/v1/gateways', raw: JSON.stringify({ name: 'x'.repeat(1_048_576) }) }),
      () => ({
        method: 'POST',
        path: '/v1/gateways',
        raw: Buffer.from([0x1f, 0x8b, 8, 0]),
        headers: { 'content-encoding': 'gzip' },
      }),
    ],
  ],
  [
    'NUL in a value is refused, and never reaches the database',
    [400, 404, 422],
    [
      () => ({ method: 'POST', path: '/v1/gateways', body: { name: 'a\0b' } }),
      () => ({ method: 'POST', path: '/v1/devices', body: { type: '\0', location: 'x' } }),
      () => ({ path: '/v1/devices/%00' }),
      () => ({ method: 'POST', path: '/v1/devices', body: { type: 'x', location: 'x', upstream_device_id: 'dev_\0' } }),
    ],
  ],
];

export const INVALID_VALUE_PROBES: readonly Probe[] = [
  ...REFUSED.map(([name, statuses, tries]) =>
    defineProbe(name, async (world) => {
      const { owner, device } = await home(world);
      for (const make of tries) {
        const { method = 'GET', path, ...sent } = make({ owner, deviceId: device.deviceId });
        const answer = await world.ask(method, path, { key: owner.key, ...sent });
        const sentBody = JSON.stringify('body' in sent ? sent.body : '').slice(0, 60);
        expectAllowedValue(answer.status, statuses, `${method} ${path.slice(0, 60)} ${sentBody}`);
        assertProbeCondition(
          answer.json?.status === answer.status,
          `${method} ${path.slice(0, 60)}: no error of the interface`,
        );
      }
    }),
  ),
  defineProbe('Accept is read as its standard says: text/csv;q=0 gives JSON, TEXT/CSV gives CSV', async (world) => {
    const { owner } = await home(world);
    const path = '/v1/energy-insights?start=2026-01-01&end=2026-01-02';
    for (const [accept, type] of [
      ['text/csv;q=0', 'application/json'],
      ['TEXT/CSV', 'text/csv'],
      ['text/csv;q=0.1, application/json', 'application/json'],
    ] as const) {
      const { headers } = await world.ask('GET', path, { key: owner.key, headers: { accept } });
      assertProbeCondition(
        String(headers['content-type']).startsWith(type),
        `Accept: ${accept} gives ${headers['content-type']}`,
      );
    }
  }),
  defineProbe('expires_at is a time of RFC 3339, in years that this has', async (world) => {
    const { owner } = await home(world);
    for (const expires_at of [
      '275760-09-13T00:00:00Z',
      '+275760-09-13T00:00:00.000Z',
      '9999-12-31T23:59:59Z',
      '2030-01-01T00:00:00-23:59',
      '9999-12-31T23:59:59-14:00',
    ]) {
      const { status, json } = await world.ask('POST', '/v1/keys', { key: owner.key, body: { expires_at } });
      if (status === 422) continue;
      expectAllowedValue(status, [201], expires_at);
      if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(json.expires_at))
        throw new ProbeFailedError(`${expires_at} is answered as ${json.expires_at}`);
    }
  }),
  defineProbe('every zone of IANA is known, links included', async (world) => {
    const { owner } = await home(world);
    for (const zone of [
      'GMT',
      'Japan',
      'US/Eastern',
      'Asia/Calcutta',
      'Etc/GMT+12',
      'Africa/Casablanca',
      'Pacific/Apia',
      'Asia/Kathmandu',
      'EST5EDT',
      'Zulu',
    ]) {
      const { status } = await world.ask(
        'GET',
        `/v1/energy-insights?start=2026-01-01&end=2026-02-01&tz=${encodeURIComponent(zone)}`,
        { key: owner.key },
      );
      expectAllowedValue(status, [200], `tz=${zone}`);
    }
  }),
  defineProbe('no answer tells of the inside', async (world) => {
    const { owner } = await home(world);
    const tries = [
      "/v1/devices/'",
      '/v1/users/%22',
      '/v1/alerts?user_id=%27',
      '/v1/energy-insights?start=%27&end=%27',
      `/v1/devices/${'x'.repeat(8_000)}`,
    ];
    for (const path of tries) {
      const { text } = await world.ask('GET', path, { key: owner.key });
      const leak = /SELECT|postgres|node_modules|at \w+ \(|\/src\/|ECONN/i.exec(text)?.[0];
      assertProbeCondition(leak === undefined, `GET ${path.slice(0, 40)} tells ${leak}`);
    }
  }),
];
