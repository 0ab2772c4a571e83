import { z } from 'zod';
import { createBoundedArraySchema, decimalField, httpsUrlField, textField, zoneField } from '#src/api/fields.ts';
import { instantSchema } from '#src/api/shapes.ts';
import { compileJsonPath, MAX_JSON_PATH_CHARACTERS } from '#src/core/json-path.ts';
import { MAX_FETCHES_A_DAY } from '#src/tariffs/sources/fetch-times.ts';
import { type SeriesSource, SOURCE_FORMATS, type SourceSecrets } from '#src/tariffs/sources/source.ts';
import type { SourceState, SourceWithSecrets } from '#src/tariffs/sources/store.ts';

/** Maximum number of values, and of rejected rows, that the response lists if a request checks the source of a series. */
export const MAX_LISTED_VALUES = 100;

const MAX_HEADERS = 10;
/**
 * Request headers that the settings of a source may not contain, because the service sets them or they concern the connection.
 */
const RESERVED = new Set(
  `accept-encoding connection content-length content-type expect host keep-alive proxy-authorization proxy-connection te trailer
   transfer-encoding upgrade user-agent`.split(/\s+/),
);

const MEANING = {
  preset:
    'Name of a public source, such as `awattar_de`, `energi_data_service_dk1`, `octopus_agile_c`, `entsoe_fr`, or `carbon_intensity_gb` for emissions. A preset contains the address, times and units.',
  token: 'Token for the preset, such as an ENTSO-E token. It is stored encrypted and never returned.',
  url: 'HTTPS address of the values, without credentials.',
  format: 'Format of the responses of the source.',
  items:
    'JSON: path of the list of rows, such as `$.data`; default: the whole response. XML: name of the element that contains a row. Not for CSV.',
  starts_at:
    'Location of the start of a value in its row: JSONPath from the row, CSV column, or XML element. The start is ISO 8601, or Unix seconds or milliseconds.',
  value:
    'Location of the price, or of the grams of CO2 equivalent, of a kWh in its row: JSONPath from the row, CSV column, or XML element.',
  scale: 'Factor for the values, such as 0.001 for prices per MWh. Default: 1.',
  timezone: 'IANA time zone of `at`, and of times without an offset in the response. Default: UTC.',
  headers: 'Headers of the request, for example with a key. They are stored encrypted and never returned.',
  at: `Times of day at which the source is fetched, HH:MM, up to ${MAX_FETCHES_A_DAY}.`,
};

const place = textField(MAX_JSON_PATH_CHARACTERS);
const headers = z
  .record(
    z
      .string()
      .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/, 'must be the name of a header')
      .refine((name) => !RESERVED.has(name.toLowerCase()), 'is set by the service itself'),
    z.string().regex(/^[\x20-\x7e]{0,1000}$/, 'must be up to 1,000 printable characters of ASCII'),
  )
  .refine((given) => Object.keys(given).length <= MAX_HEADERS, `must have at most ${MAX_HEADERS} members`);
const times = createBoundedArraySchema(
  z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day, HH:MM'),
  1,
  MAX_FETCHES_A_DAY,
).refine((given) => new Set(given).size === given.length, 'must not repeat a time');

const preset = z.strictObject({
  preset: textField(100).describe(MEANING.preset),
  token: z
    .string()
    .regex(/^[\x21-\x7e]{1,500}$/, 'must be 1 to 500 visible characters of ASCII')
    .optional()
    .describe(MEANING.token),
});
const own = z
  .strictObject({
    url: httpsUrlField.describe(MEANING.url),
    format: z.enum(SOURCE_FORMATS).describe(MEANING.format),
    items: place.optional().describe(MEANING.items),
    starts_at: place.describe(MEANING.starts_at),
    value: place.describe(MEANING.value),
    scale: decimalField
      .refine((scale) => Number(scale) !== 0, 'must not be 0')
      .optional()
      .describe(MEANING.scale),
    timezone: zoneField.optional().describe(MEANING.timezone),
    headers: headers.optional().describe(MEANING.headers),
    at: times.describe(MEANING.at),
  })
  .superRefine(({ format, items, starts_at, value }, context) => {
    const issue = (member: string, message: string) => context.addIssue({ code: 'custom', path: [member], message });
    if (format === 'csv' && items !== undefined) issue('items', 'cannot be used for CSV');
    if (format === 'xml' && items === undefined) issue('items', 'is required for XML');
    if (format !== 'json') return;
    for (const [member, path] of Object.entries({ items, starts_at, value }))
      if (path !== undefined && compileJsonPath(path) === null)
        issue(member, 'must be a JSONPath to one place, such as $.data or $.prices[0]');
  });
export const newSourceSchema = z.union([preset, own]).meta({ id: 'NewSeriesSource' });

const source = z
  .union([
    z.strictObject({ preset: z.string().describe(MEANING.preset) }),
    z.strictObject({
      url: z.string().describe(MEANING.url),
      format: z.enum(SOURCE_FORMATS).describe(MEANING.format),
      items: z.string().optional().describe(MEANING.items),
      starts_at: z.string().describe(MEANING.starts_at),
      value: z.string().describe(MEANING.value),
      scale: z.string().optional().describe(MEANING.scale),
      timezone: z.string().describe(MEANING.timezone),
      at: z.array(z.string()).describe(MEANING.at),
    }),
  ])
  .meta({ id: 'SeriesSource' });

/** Members that a series with a source has in responses to callers that may change the series. */
export const sourceStateSchema = {
  source: source
    .optional()
    .describe(
      'Source from which the service fetches the values. Absent: the series has no source, or the caller may not change the series.',
    ),
  last_fetched_at: instantSchema.nullable().optional().describe('Time of the last fetch. Null: never.'),
  next_fetch_at: instantSchema.optional().describe('Time of the next fetch.'),
  last_error: z
    .string()
    .nullable()
    .optional()
    .describe('Error of the last fetch, or of rows in its response. Null: no error.'),
};

export const sourceStateToResponse = ({ source, last_fetched_at, next_fetch_at, last_error }: SourceState) => ({
  source,
  last_fetched_at: last_fetched_at?.toISOString() ?? null,
  next_fetch_at: next_fetch_at.toISOString(),
  last_error,
});

const rejectedRow = z
  .strictObject({
    row: z.number().int().describe('Position of the row in the response, starting at 1.'),
    message: z.string().describe('Error in the row.'),
  })
  .meta({ id: 'RejectedRow' });

/** Rows that a source has returned but that cannot be stored. */
export const rejectedRowsSchema = z
  .array(rejectedRow)
  .describe(`The first rows that would not be stored, up to ${MAX_LISTED_VALUES}.`);

/** Splits the settings of a source into a part that is stored unencrypted and a part that is stored encrypted. */
export function separateSourceSecrets(given: z.output<typeof newSourceSchema>): SourceWithSecrets {
  if ('preset' in given) {
    const { token, ...source } = given;
    return { source, secrets: token === undefined ? {} : { token } };
  }
  const { headers: named, timezone = 'UTC', ...rest } = given;
  const source: SeriesSource = { ...rest, timezone };
  const secrets: SourceSecrets = named
    ? { headers: Object.fromEntries(Object.entries(named).map(([name, value]) => [name.toLowerCase(), value])) }
    : {};
  return { source, secrets };
}
