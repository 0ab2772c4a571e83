/**
 * A test step that the TypeScript client and the Python client must pass against a real service. A runner in each language executes the
 * steps.
 */
export interface ClientStep {
  /** Owner of the key. */
  as: 'admin' | 'home';
  /** Name of the operation in the OpenAPI document. A suffix such as `Csv` requests the response in another format. */
  call: string;
  path?: string[];
  body?: unknown;
  query?: Record<string, string | number | string[]>;
  /** Options of the call. */
  options?: { idempotencyKey?: string; headers?: Record<string, string>; timeoutSeconds?: number };
  /** `all`: the client requests every page of a list. By default, the client requests only the first page. */
  take?: 'all';
  /** Variables for later steps, which use them as `$name` in any text. Each entry contains the member of the response with the value. */
  save?: Record<string, string>;
  /** Expected result of the call, compared by vitest's toMatchObject. */
  gives?: unknown;
  /** Expected error of the call. */
  fails?: { type: string; status?: number; code?: string; details?: unknown; retryAfterSeconds?: number };
  /** Expected number of requests; undefined: not checked. */
  requests?: number;
}

/** Returns a request header that makes the API fail the first requests of a call. `run` distinguishes the two clients. */
const fault = (kind: string, times: number, name: string) => ({ 'x-test-fault': `${kind} ${times} ${name} $run` });

/** Day on which the clocks go forward in Berlin: the last Sunday of March. */
const SPRING = '2026-03-29';
const USED_ON = '2026-06-14';

const day = { start: USED_ON, end: USED_ON };

/** Test steps by topic. For an operation without a step, the example of the OpenAPI document is tested. */
export const CLIENT_CASES: Record<string, ClientStep[]> = {
  'usage, in any zone and form': [
    { as: 'home', call: 'getEnergyInsights', query: day, gives: { data: [{ date: USED_ON, kwh_used: 1.5 }] } },
    {
      as: 'home',
      call: 'getEnergyInsights',
      query: { start: SPRING, end: SPRING, group_by: 'hour', tz: 'Europe/Berlin' },
      // 01:00 UTC is 03:00 in Berlin, because the clocks go forward at 02:00.
      gives: {
        data: [
          { hour: '01:00', starts_at: `${SPRING}T01:00:00+01:00` },
          { hour: '03:00', starts_at: `${SPRING}T03:00:00+02:00` },
        ],
      },
    },
    {
      as: 'home',
      call: 'getEnergyInsightsCsv',
      query: day,
      gives: { text: `date,kwh_used,peak_hour\n${USED_ON},1.5,18:00\n` },
    },
    { as: 'home', call: 'getEnergyInsightsXlsx', query: day, gives: { begins: '504b' } },
    {
      as: 'home',
      call: 'getEnergyInsightsGreenButton',
      query: { ...day, group_by: 'hour' },
      gives: { text: expectText('<feed') },
    },
    {
      as: 'home',
      call: 'postEnergyInsights',
      body: { ...day, metrics: ['kwh_used'] },
      gives: { summary: { total_kwh: 1.5 } },
    },
    {
      as: 'home',
      call: 'monthlyAnalytics',
      query: { months: 1, tz: 'account' },
      gives: { data: [{ month: '2026-06', kwh_used: 1.5 }] },
    },
    { as: 'home', call: 'monthlyAnalyticsCsv', query: { months: 1 }, gives: { text: expectText('2026-06,1.5') } },
  ],
  'accounts and pages': [
    {
      as: 'admin',
      call: 'createUser',
      body: { email: 'a-$run@clients.example', role: 'homeowner' },
      save: { user: 'user_id' },
      gives: { status: 'created' },
    },
    { as: 'admin', call: 'createUser', body: { email: 'b-$run@clients.example', role: 'homeowner' } },
    { as: 'admin', call: 'createUser', body: { email: 'c-$run@clients.example', role: 'homeowner' } },
    {
      as: 'admin',
      call: 'listUsers',
      query: { search: '$run@clients.example', limit: 1 },
      take: 'all',
      requests: 3,
      gives: [
        { email: 'a-$run@clients.example' },
        { email: 'b-$run@clients.example' },
        { email: 'c-$run@clients.example' },
      ],
    },
    {
      as: 'admin',
      call: 'listUsers',
      query: { search: '$run@clients.example', limit: 2 },
      requests: 1,
      gives: [{}, {}],
    },
    { as: 'admin', call: 'getUser', path: ['$user'], gives: { user_id: '$user' } },
    {
      as: 'admin',
      call: 'updateUser',
      path: ['$user'],
      body: { timezone: 'Europe/Berlin' },
      gives: { timezone: 'Europe/Berlin' },
    },
    { as: 'admin', call: 'exportUser', path: ['$user'], gives: { begins: '504b' } },
    { as: 'admin', call: 'listAudit', query: { user_id: '$user', limit: 1 }, gives: [{ target: '$user' }] },
    { as: 'admin', call: 'deleteUser', path: ['$user'], gives: { message: expectText('deleted') } },
    { as: 'admin', call: 'getUser', path: ['$user'], fails: { type: 'NotFoundError', status: 404 } },
  ],
  'devices and gateways': [
    {
      as: 'home',
      call: 'createDevice',
      body: { type: 'electricity_meter', location: 'Keller, „unten“' },
      save: { device: 'device_id' },
      gives: { mqtt: {} },
    },
    { as: 'home', call: 'updateDevice', path: ['$device'], body: { location: 'hall' }, gives: { location: 'hall' } },
    { as: 'home', call: 'getDevice', path: ['$device'], gives: { device_id: '$device', channels: [] } },
    { as: 'home', call: 'listDevices', take: 'all', gives: [{ device_id: '$device' }] },
    { as: 'home', call: 'deviceUsage', path: ['$device'], query: day, gives: { device_id: '$device', data: [] } },
    { as: 'home', call: 'deviceUsageCsv', path: ['$device'], query: day, gives: { text: expectText('date') } },
    { as: 'home', call: 'discoveredDevices', gives: [] },
    { as: 'home', call: 'createGateway', body: { name: 'cellar' }, save: { gateway: 'gateway_id' } },
    { as: 'home', call: 'listGateways', gives: [{ gateway_id: '$gateway' }] },
    { as: 'home', call: 'updateGateway', path: ['$gateway'], body: { name: 'loft' }, gives: { name: 'loft' } },
    {
      as: 'home',
      call: 'decodeMessage',
      path: ['$gateway'],
      body: { topic: 'tele/plug/SENSOR', payload: '{"ENERGY": {"Total": 301.004}}' },
      gives: { outcome: 'read', family: 'tasmota' },
    },
    { as: 'home', call: 'deleteGateway', path: ['$gateway'] },
    { as: 'home', call: 'deleteDevice', path: ['$device'] },
    // The client percent-encodes the id, which would otherwise change the path.
    { as: 'home', call: 'getDevice', path: ['../users?a=b#c'], fails: { type: 'NotFoundError', status: 404 } },
  ],
  'alerts, tariffs and prices': [
    {
      as: 'home',
      call: 'createAlert',
      body: { type: 'daily_usage', threshold_kwh: 2, delivery: 'email' },
      save: { alert: 'alert_id' },
    },
    { as: 'home', call: 'listAlerts', query: { user_id: '$home' }, gives: [{ alert_id: '$alert' }] },
    { as: 'home', call: 'getAlert', path: ['$alert'], gives: { threshold_kwh: 2 } },
    { as: 'home', call: 'updateAlert', path: ['$alert'], body: { status: 'paused' }, gives: { status: 'paused' } },
    { as: 'home', call: 'previewAlert', body: { type: 'daily_usage', threshold_kwh: 1 }, gives: { data: [{}] } },
    { as: 'home', call: 'deleteAlert', path: ['$alert'] },
    {
      as: 'home',
      call: 'createPriceSeries',
      body: { name: 'spot', currency: 'EUR', resolution_minutes: 60 },
      save: { series: 'series_id' },
    },
    {
      as: 'home',
      call: 'putPrices',
      path: ['$series'],
      body: [{ starts_at: '2026-06-14T18:00:00Z', per_kwh: '0.301' }],
    },
    {
      as: 'home',
      call: 'putPricesCsv',
      path: ['$series'],
      body: 'starts_at,per_kwh\n2026-06-14T19:00:00Z,0.123456789\n',
    },
    {
      as: 'home',
      call: 'listPrices',
      path: ['$series'],
      query: day,
      gives: [{ per_kwh: '0.301' }, { per_kwh: '0.123456789' }],
    },
    { as: 'home', call: 'listPriceSeries', gives: [{ series_id: '$series' }] },
    { as: 'home', call: 'getPriceSeries', path: ['$series'], gives: { currency: 'EUR' } },
    {
      as: 'home',
      call: 'createTariff',
      body: { name: 'flat', valid_from: '2026-01-01', currency: 'EUR', import: { per_kwh: '0.30' } },
      save: { tariff: 'tariff_id' },
    },
    {
      as: 'home',
      call: 'getEnergyInsights',
      query: { ...day, include: 'cost' },
      gives: { data: [{ cost: { import: '0.45' } }] },
    },
    {
      as: 'home',
      call: 'getEnergyInsights',
      query: { ...day, include: ['cost', 'coverage'] },
      gives: { data: [{ cost: { import: '0.45' }, coverage: null }] },
    },
    { as: 'home', call: 'listTariffs', gives: [{ tariff_id: '$tariff' }] },
    { as: 'home', call: 'getTariff', path: ['$tariff'], gives: { name: 'flat' } },
    { as: 'home', call: 'updateTariff', path: ['$tariff'], body: { name: 'round' }, gives: { name: 'round' } },
    { as: 'home', call: 'deleteTariff', path: ['$tariff'] },
    { as: 'home', call: 'updatePriceSeries', path: ['$series'], body: { name: 'market' }, gives: { name: 'market' } },
    { as: 'home', call: 'deletePrices', path: ['$series'], query: { from: '2026-06-14', to: '2026-06-15' } },
    { as: 'home', call: 'deletePriceSeries', path: ['$series'] },
    {
      as: 'home',
      call: 'createEmissionSeries',
      body: { name: 'grid', resolution_minutes: 60 },
      save: { grid: 'series_id' },
    },
    {
      as: 'home',
      call: 'putIntensities',
      path: ['$grid'],
      body: [{ starts_at: '2026-06-14T18:00:00Z', grams_per_kwh: '212.4' }],
    },
    {
      as: 'home',
      call: 'putIntensitiesCsv',
      path: ['$grid'],
      body: 'starts_at,grams_per_kwh\n2026-06-14T19:00:00Z,0.123456789\n',
    },
    {
      as: 'home',
      call: 'listIntensities',
      path: ['$grid'],
      query: day,
      gives: [{ grams_per_kwh: '212.4' }, { grams_per_kwh: '0.123456789' }],
    },
    { as: 'home', call: 'listEmissionSeries', gives: [{ series_id: '$grid' }] },
    { as: 'home', call: 'getEmissionSeries', path: ['$grid'], gives: { resolution_minutes: 60 } },
    {
      as: 'home',
      call: 'updateUser',
      path: ['$home'],
      body: { emission_series_id: '$grid' },
      gives: { emission_series_id: '$grid' },
    },
    {
      as: 'home',
      call: 'getEnergyInsights',
      query: { ...day, include: 'emissions' },
      gives: { data: [{ emissions: {} }] },
    },
    { as: 'home', call: 'updateUser', path: ['$home'], body: { emission_series_id: null } },
    { as: 'home', call: 'updateEmissionSeries', path: ['$grid'], body: { name: 'grid' }, gives: { name: 'grid' } },
    { as: 'home', call: 'deleteIntensities', path: ['$grid'], query: { from: '2026-06-14', to: '2026-06-15' } },
    { as: 'home', call: 'deleteEmissionSeries', path: ['$grid'] },
  ],
  'webhooks and keys': [
    {
      as: 'home',
      call: 'createWebhook',
      body: { event: 'device.connected', url: 'https://catcher.example/', auth_token: 'a secret of mine' },
      save: { webhook: 'webhook_id' },
    },
    { as: 'home', call: 'listWebhooks', gives: [{ webhook_id: '$webhook' }] },
    { as: 'home', call: 'testWebhook', path: ['$webhook'], save: { delivery: 'delivery_id' } },
    { as: 'home', call: 'webhookDeliveries', path: ['$webhook'], gives: [{ delivery_id: '$delivery' }] },
    {
      as: 'home',
      call: 'getDelivery',
      path: ['$webhook', '$delivery'],
      gives: { request: { url: 'https://catcher.example/' } },
    },
    { as: 'home', call: 'retryDelivery', path: ['$webhook', '$delivery'], gives: { status: 'pending' } },
    { as: 'home', call: 'updateWebhook', path: ['$webhook'], body: { status: 'paused' }, gives: { status: 'paused' } },
    { as: 'home', call: 'deleteWebhook', path: ['$webhook'] },
    { as: 'home', call: 'createKey', body: { name: 'narrow', scopes: ['alerts:read'] }, save: { key: 'key_id' } },
    { as: 'home', call: 'listKeys', take: 'all', gives: expectSome({ key_id: '$key' }) },
    { as: 'home', call: 'rotateKey', path: ['$key'], body: {}, save: { rotated: 'key_id' } },
    { as: 'home', call: 'revokeKey', path: ['$rotated'] },
  ],
  'errors as types': [
    {
      as: 'home',
      call: 'createAlert',
      body: { type: 'daily_usage', delivery: 'pigeon' },
      fails: {
        type: 'UnprocessableError',
        status: 422,
        code: 'unprocessable',
        details: expectSome({ field: 'delivery' }),
      },
    },
    { as: 'home', call: 'getUser', path: ['usr_other'], fails: { type: 'ForbiddenError', status: 403 } },
    {
      as: 'home',
      call: 'getEnergyInsights',
      query: { start: '2026-02-30', end: '2026-03-01' },
      fails: { type: 'UnprocessableError', status: 422 },
    },
    {
      as: 'admin',
      call: 'createUser',
      body: { email: 'B-$run@clients.example', role: 'homeowner' },
      fails: { type: 'ConflictError', status: 409 },
    },
  ],
  'what is tried again': [
    // The client retries this request whatever its method, because it was rejected before it had any effect.
    {
      as: 'home',
      call: 'updateUser',
      path: ['$home'],
      body: { timezone: 'UTC' },
      options: { headers: fault('429', 1, 'a') },
      requests: 2,
      gives: {},
    },
    {
      as: 'home',
      call: 'getUser',
      path: ['$home'],
      options: { headers: fault('503', 2, 'b') },
      requests: 3,
      gives: { user_id: '$home' },
    },
    {
      as: 'home',
      call: 'getUser',
      path: ['$home'],
      options: { headers: fault('cut', 1, 'c') },
      requests: 2,
      gives: { user_id: '$home' },
    },
    // Only the response was lost. The client retries with the same Idempotency-Key, so only one alert exists.
    {
      as: 'home',
      call: 'createAlert',
      body: { type: 'monthly_usage', threshold_kwh: 9, delivery: 'email' },
      options: { headers: fault('lost', 1, 'd') },
      requests: 2,
      save: { alert: 'alert_id' },
    },
    { as: 'home', call: 'listAlerts', query: { user_id: '$home' }, gives: [{ alert_id: '$alert' }] },
    // The client does not retry, because the request may have been executed and has no idempotency key.
    {
      as: 'home',
      call: 'updateAlert',
      path: ['$alert'],
      body: { threshold_kwh: 8 },
      options: { headers: fault('cut', 1, 'e') },
      requests: 1,
      fails: { type: 'NetworkError' },
    },
    {
      as: 'home',
      call: 'updateAlert',
      path: ['$alert'],
      body: { threshold_kwh: 8 },
      options: { headers: fault('503', 1, 'f') },
      requests: 1,
      fails: { type: 'ServerError', status: 503 },
    },
    // After the last retry, the client throws the error.
    {
      as: 'home',
      call: 'getUser',
      path: ['$home'],
      options: { headers: fault('503', 9, 'g') },
      requests: 4,
      fails: { type: 'ServerError', status: 503, retryAfterSeconds: 0 },
    },
    // The client does not retry, because Retry-After is longer than a client waits.
    {
      as: 'home',
      call: 'getUser',
      path: ['$home'],
      options: { headers: fault('day', 1, 'h') },
      requests: 1,
      fails: { type: 'TooManyRequestsError', status: 429, retryAfterSeconds: 86_400 },
    },
    {
      as: 'home',
      call: 'updateAlert',
      path: ['$alert'],
      body: {},
      options: { headers: fault('slow', 9, 'i'), timeoutSeconds: 0.3 },
      requests: 1,
      fails: { type: 'RequestTimeoutError' },
    },
    // The caller sets the idempotency key.
    {
      as: 'home',
      call: 'createGateway',
      body: { name: 'once' },
      options: { idempotencyKey: 'mine-$run' },
      save: { gateway: 'gateway_id' },
    },
    {
      as: 'home',
      call: 'createGateway',
      body: { name: 'once' },
      options: { idempotencyKey: 'mine-$run' },
      gives: { gateway_id: '$gateway' },
    },
    {
      as: 'home',
      call: 'createGateway',
      body: { name: 'twice' },
      options: { idempotencyKey: 'mine-$run' },
      fails: { type: 'ConflictError', status: 409 },
    },
  ],
};

/** Returns a marker: the comparison accepts any text that contains `part`. */
function expectText(part: string) {
  return { $contains: part };
}

/** Returns a marker: the comparison accepts any list with an element that matches `one`. */
function expectSome(one: unknown) {
  return { $some: one };
}
