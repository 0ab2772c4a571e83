import fc, { type Arbitrary } from 'fast-check';
import type { Json } from './document.ts';

/** Placeholder for the id of a resource that exists when the request is sent: `«device_id 3»`. */
export const ID_PLACEHOLDER_PATTERN = /«(\w+) (\d+)»/g;
const idOf = (name: string): Arbitrary<string> => fc.nat(1_000).map((index) => `«${name} ${index}»`);

/** Values that no honest client sends. */
const HOSTILE: readonly unknown[] = [
  ...[
    null,
    true,
    '',
    ' ',
    '\0',
    'a\0b',
    '\ud800',
    '\u202e',
    '😀',
    'null',
    'undefined',
    '__proto__',
    'constructor',
    '../../etc/passwd',
  ],
  ...["' OR 1=1 --", '%00', '%', '<script>alert(1)</script>', '{{7*7}}', '$(id)', 'x'.repeat(5_000), '9'.repeat(400)],
  ...[0, -0, -1, 0.1 + 0.2, 1e-320, 1e308, -1e308, 2 ** 53 + 2, 2 ** 31, 2 ** 63, 4_294_967_296.5],
  ...[[], {}, [[]], [null], { a: { b: {} } }, { length: 1e9 }, { toString: 1 }, { $ref: '#' }],
];
const hostile = fc.constantFrom(...HOSTILE);

const DATES = [
  '2026-06-01',
  '2026-06-14',
  '2025-06-15',
  '2024-02-29',
  '1970-01-01',
  '9999-12-31',
  '2026-02-30',
  '0000-01-01',
  '2026-10-25',
];
const TIMES = [
  '2027-01-01T00:00:00Z',
  '2030-06-15T12:00:00+02:00',
  '9999-12-31T23:59:59-14:00',
  '1970-01-01T00:00:00Z',
  '2026-06-15T12:00:00.123456789Z',
  '2027-01-01T00:00:60Z',
];
const ZONES = [
  'UTC',
  'Europe/Berlin',
  'account',
  'Japan',
  'Australia/Lord_Howe',
  'Africa/Casablanca',
  'Asia/Kathmandu',
  'Mars/Phobos',
  'utc',
  'EST5EDT',
];
const INCLUDES = [
  'grid_import',
  'grid_export',
  'production',
  'consumption',
  'untracked',
  'autarky',
  'estimated',
  'coverage',
];
/** URLs for webhooks. No server listens at these addresses, and the service blocks webhooks to them. */
const URLS = [
  'https://127.0.0.1:9/x',
  'https://receiver.invalid/hook?a=1',
  'https://[::1]/',
  'http://receiver.invalid/',
  'https://a:b@receiver.invalid/',
];

/** Plausible values of members, by the name of the member. The schema only requires the values to be strings. */
const BY_NAME: Record<string, Arbitrary<unknown>> = {
  tz: fc.constantFrom(...ZONES),
  timezone: fc.constantFrom(...ZONES),
  include: fc.oneof(
    { weight: 4, arbitrary: fc.subarray(INCLUDES, { minLength: 1 }).map((names) => names.join(',')) },
    { weight: 1, arbitrary: fc.constantFrom('cost', 'nothing', ',', 'estimated,') },
  ),
  email: fc.nat(1e9).map((number) => `fuzzed-${number}@attack.example.com`),
  currency: fc.constantFrom('EUR', 'EUR', 'EUR', 'JPY', 'eur', 'XXX'),
  from: fc.constantFrom('00:00', '07:00', '22:15', '24:00', '7:00', '07:10'),
  to: fc.constantFrom('00:00', '07:00', '22:15', '24:00', '25:00'),
  per_kwh: fc.constantFrom('0.30', 0.3, '-0.1', '1e-9', '0.1234567891', '999999999.999999999', 1e9),
  phone: fc.constantFrom('+4915112345678', '+1', '0151', '+4915112345678901234'),
  url: fc.constantFrom(...URLS),
  auth_token: fc.constantFrom(
    'a secret that is long enough',
    `whsec_${Buffer.alloc(24, 7).toString('base64')}`,
    'short',
  ),
  counts_as: fc.constantFrom('import', 'export', 'import/t1', 'gas', 'heat', 'water', 'ignored', 'import/t0'),
  start: fc.constantFrom('2026-06-01', '2026-06-10', '2026-05-31', '2025-06-15', ...DATES),
  end: fc.constantFrom('2026-06-14', '2026-06-15', '2026-06-12', '2026-06-30', ...DATES),
  upstream_device_id: idOf('device_id'),
  cursor: fc.oneof(idOf('cursor'), fc.string()),
};

/** Generates null or, in one of `times` cases, a value from the generator `one`. */
export const arbitraryValueOrNull = <T>(one: Arbitrary<T>, times: number): Arbitrary<T | null> =>
  fc.oneof({ weight: times - 1, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: one });

/**
 * Generates an object. In some objects, all optional members are missing. In the others, each optional member is present with some
 * probability.
 */
export function arbitraryObjectOfSchema(
  members: Record<string, Arbitrary<unknown>>,
  required: readonly string[],
): Arbitrary<Record<string, unknown>> {
  const all = Object.entries(members).map(([name, one]) => fc.tuple(fc.constant(name), one, fc.nat(5)));
  return fc
    .tuple(fc.constantFrom(0, 0, 2, 3), ...all)
    .map(([sixths, ...made]) =>
      Object.fromEntries(
        made.filter(([name, , dice]) => required.includes(name) || dice < sixths).map(([name, value]) => [name, value]),
      ),
    );
}

/** Generates values that a schema allows, almost allows, or does not allow at all. `name`: name of the member or parameter. */
export function arbitraryValueForSchema(
  schema: Json,
  resolve: (one: Json) => Json,
  name = '',
  depth = 0,
): Arbitrary<unknown> {
  return fc.oneof({ weight: 25, arbitrary: meant(schema, resolve, name, depth) }, { weight: 1, arbitrary: hostile });
}

function meant(given: Json, resolve: (one: Json) => Json, name: string, depth: number): Arbitrary<unknown> {
  const schema = resolve(given) ?? {};
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return fc.oneof(...choices.map((one: Json) => meant(one, resolve, name, depth)));
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const byName = BY_NAME[name];
  if (byName) return byName;
  if (/_id$/.test(name)) return idOf(name);
  const types: string[] = [schema.type ?? 'string'].flat();
  return fc.oneof(...types.map((type) => ofType(type, schema, resolve, name, depth)));
}

function ofType(
  type: string,
  schema: Json,
  resolve: (one: Json) => Json,
  name: string,
  depth: number,
): Arbitrary<unknown> {
  switch (type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
    case 'number':
      return numberOf(schema, type);
    case 'array':
      return fc.array(arbitraryValueForSchema(schema.items ?? {}, resolve, name, depth + 1), {
        maxLength: 4,
        size: 'max',
      });
    case 'object':
      return objectOf(schema, resolve, depth);
    default:
      return textOf(schema);
  }
}

function numberOf({ minimum, maximum, exclusiveMinimum }: Json, type: string): Arbitrary<number> {
  const low = minimum ?? exclusiveMinimum ?? -1_000;
  const high = maximum ?? 1e9;
  const bounds = [low, high, low - 1, high + 1, (low + high) / 2, low + 1];
  const small =
    type === 'integer'
      ? fc.integer({ min: Math.ceil(low), max: Math.floor(Math.min(high, low + 100)) })
      : fc.constantFrom(1, 5, 0.25, 12.345_678_9);
  return fc.oneof({ weight: 4, arbitrary: small }, { weight: 1, arbitrary: fc.constantFrom(...bounds) });
}

function textOf({ format, minLength = 0, maxLength = 300 }: Json): Arbitrary<string> {
  if (format === 'date') return fc.constantFrom(...DATES);
  if (format === 'date-time') return fc.constantFrom(...TIMES);
  return fc.oneof(
    { weight: 3, arbitrary: fc.string({ minLength, maxLength: Math.min(maxLength, 20) }) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', minLength, maxLength: Math.min(maxLength, 20) }) },
    { weight: 1, arbitrary: fc.constantFrom('x'.repeat(maxLength), 'x'.repeat(maxLength + 1)) },
  );
}

function objectOf(
  { properties = {}, required = [], additionalProperties }: Json,
  resolve: (one: Json) => Json,
  depth: number,
): Arbitrary<unknown> {
  const entries = Object.entries(properties as Record<string, Json>);
  const known = arbitraryObjectOfSchema(
    Object.fromEntries(entries.map(([name, one]) => [name, arbitraryValueForSchema(one, resolve, name, depth + 1)])),
    required,
  );
  const isMap = typeof additionalProperties === 'object';
  const more = fc.dictionary(
    fc.string(),
    isMap ? arbitraryValueForSchema(additionalProperties, resolve, '', depth + 1) : hostile,
    {
      maxKeys: isMap ? 3 : 1,
    },
  );
  return fc
    .tuple(known, fc.oneof({ weight: isMap ? 0 : 15, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: more }))
    .map(([one, others]) => ({ ...one, ...others }));
}
