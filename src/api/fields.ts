import { z } from 'zod';
import { createUnprocessableError } from '#src/core/errors.ts';
import { isStorableText, UNSTORABLE_TEXT_MESSAGE } from '#src/core/storable-text.ts';
import {
  INCLUDABLE_COST_AND_EMISSIONS,
  type IncludableCostOrEmissions,
  type IncludableField,
} from '#src/energy/include.ts';
import type { GroupBy } from '#src/energy/insights.ts';
import {
  countDays,
  countMonths,
  isDate,
  isRangeWithinMonths,
  isSubDayUnit,
  isTimeZone,
  SUB_DAY_UNIT_MINUTES,
} from '#src/energy/ranges.ts';
import { isCurrency } from '#src/tariffs/currency.ts';
import { MAX_PRICE, normalisePrice } from '#src/tariffs/terms.ts';
import { instantSchema } from './shapes.ts';

/** Returns the schema of a text of 1 to `longest` characters that PostgreSQL can store unchanged. */
export const textField = (longest: number) =>
  z.string().min(1).max(longest).refine(isStorableText, UNSTORABLE_TEXT_MESSAGE);

/** An HTTPS address of at most 2,048 characters. It must not contain credentials, because they would be stored unencrypted. */
export const httpsUrlField = z
  .string()
  .max(2_048)
  .refine((text) => {
    // Refuses blanks and control characters, because URL parsers treat them differently.
    if (!URL.canParse(text) || !/^https:\/\/[\x21-\x7e]+$/i.test(text)) return false;
    const { username, password, hostname } = new URL(text);
    // Allows fewer characters in a host than the URL standard, because some have a meaning in a Content-Security-Policy.
    return username === '' && password === '' && /^(?:[\w.-]+|\[[\da-f:.]+\])$/.test(hostname);
  }, 'must be an https:// URL in ASCII, without credentials and blanks, with a host of letters, digits, hyphens and dots')
  .meta({ format: 'uri' });

/** An identifier in any form, so that an unknown one gets 404 instead of a validation error. */
export const idField = z.string();

/** The user whose data the request reads, or for whom it creates an object. */
export const userIdField = idField.describe(
  'Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member.',
);

/** A date from 1970 on, as YYYY-MM-DD. It must exist in the calendar. */
export const dateField = z
  .string()
  .refine(isDate, 'must be a date that exists, YYYY-MM-DD, from 1970 on')
  .meta({ format: 'date' });

const isInstant = (text: string): boolean =>
  instantSchema.safeParse(text).success && Date.parse(text) >= 0 && Date.parse(text) <= Date.UTC(9999, 11, 31);

/** An instant, or a date that stands for its start (00:00 UTC). */
export const instantOrDateField = z
  .string()
  .refine(
    (text) => isDate(text) || isInstant(text),
    'must be a date, YYYY-MM-DD, or an instant of ISO 8601 with its zone, from 1970 on',
  )
  .meta({ anyOf: ['date', 'date-time'].map((format) => ({ type: 'string' as const, format })) })
  .transform((text) => new Date(text));

export const dayRangeFields = {
  start: dateField.describe('First day of the range, in the time zone `tz`. Needs `end`.').optional(),
  end: dateField.describe('Last day of the range, inclusive. Needs `start`.').optional(),
};

/** The period that one row of a response covers. */
export const groupingSchema = z
  .enum(['day', 'month', 'hour', 'half_hour', 'quarter_hour'] satisfies GroupBy[])
  .describe(
    'Length of a row. Default: `day`; in a Green Button feed `hour`, where only `hour` and `quarter_hour` are allowed. A month row covers the days of the month that lie in the range. Hours, half-hours and quarter-hours follow the clock of the time zone.',
  );

/** Maximum number of rows in one response. */
const MAX_ROWS = 10_000;

/**
 * Returns the days that a query names, or null. Throws 422 if only one day is given, the days are in the wrong order, days are
 * missing although `group_by` is given, or the response would have too many rows.
 */
export function resolveRequestedDays(start: string | undefined, end: string | undefined, groupBy: GroupBy | undefined) {
  if (start === undefined && end === undefined) {
    if (groupBy === undefined) return null;
    throw createUnprocessableError({ field: 'group_by', message: 'needs start and end' });
  }
  if (start === undefined) throw createUnprocessableError({ field: 'start', message: 'is required together with end' });
  if (end === undefined) throw createUnprocessableError({ field: 'end', message: 'is required together with start' });
  if (end < start) throw createUnprocessableError({ field: 'end', message: 'must not lie before start' });
  if (countRowsInDays(start, end, groupBy ?? 'day') > MAX_ROWS) {
    const message = `the range has more than ${MAX_ROWS} rows; request a shorter range, or group by month`;
    throw createUnprocessableError({ field: 'end', message });
  }
  return { start, end, groupBy: groupBy ?? 'day' };
}

/** Returns the number of rows that a response for a range of days has. Assumes that each day has 24 hours. */
export function countRowsInDays(start: string, end: string, groupBy: GroupBy): number {
  if (groupBy === 'month') return countMonths(start, end);
  return countDays(start, end) * (isSubDayUnit(groupBy) ? (24 * 60) / SUB_DAY_UNIT_MINUTES[groupBy] : 1);
}

/** Returns the names of the columns that state the time of a row. */
export function listRowTimeColumns(groupBy: GroupBy): string[] {
  if (!isSubDayUnit(groupBy)) return ['date'];
  return ['date', groupBy === 'hour' ? 'hour' : 'time', 'starts_at'];
}

const MAX_COMPUTED_MONTHS = 36;

/** Fields for the first and last day of a calculation, in the time zone of the user. */
export const calculationDaysFields = {
  start: dateField.describe('First day, in the time zone of the user.'),
  end: dateField.describe(`Last day, inclusive. Within ${MAX_COMPUTED_MONTHS} months of \`start\`.`),
};

/** Adds checks to a body with `calculationDaysFields`: the days must be in order and not too many. */
export function checkCalculationDays(
  { start, end }: { start: string; end: string },
  context: { addIssue(issue: { code: 'custom'; path: string[]; message: string }): void },
): void {
  const mistake = (message: string) => context.addIssue({ code: 'custom', path: ['end'], message });
  if (!isDate(start) || !isDate(end)) return;
  if (end < start) mistake('must not lie before start');
  if (!isRangeWithinMonths(start, end, MAX_COMPUTED_MONTHS))
    mistake(`must be within ${MAX_COMPUTED_MONTHS} months of start`);
}

export const zoneField = z
  .string()
  .refine(isTimeZone, 'must be a time zone of the IANA database, such as Europe/Berlin');

/** A time zone, or `account` for the time zone in the settings of the user. */
export const zoneOrAccountField = z
  .string()
  .refine(
    (name) => name === 'account' || isTimeZone(name),
    'must be a time zone of the IANA database, such as Europe/Berlin, or account',
  )
  .describe('IANA time zone of the days and hours. `account`: the time zone of the user.');

/** Returns the schema of the query parameter `include`, a comma-separated list of the given names, `cost` and `emissions`. */
export const createIncludeField = (names: readonly IncludableField[]) => {
  const all: readonly string[] = [...names, ...INCLUDABLE_COST_AND_EMISSIONS];
  return z
    .string()
    .refine(
      (text) => text.split(',').every((name) => all.includes(canonicalInclude(name))),
      `must be one or more of ${all.join(', ')}, separated by commas`,
    )
    .describe(
      `Members to add, separated by commas: ${all.map((name) => `\`${name}\``).join(', ')}. Each adds \`…_kwh\`; \`coverage\` or \`complete\` adds both; \`autarky\`, \`cost\` (user’s tariffs) and \`emissions\` (user’s emission series) add a member of that name.`,
    );
};

/** `include=complete` is an alias of `include=coverage`. */
const canonicalInclude = (name: string): string => (name === 'complete' ? 'coverage' : name);

/**
 * Splits the value of `include` into its names. `weighted` contains those of them that are `cost` or `emissions`, and `more` the others.
 */
export function parseInclude(text: string | undefined): {
  more: ReadonlySet<IncludableField>;
  weighted: ReadonlySet<IncludableCostOrEmissions>;
} {
  const names = new Set(text?.split(',').map(canonicalInclude));
  const weighted = new Set(INCLUDABLE_COST_AND_EMISSIONS.filter((name) => names.delete(name)));
  return { more: names as Set<string> as Set<IncludableField>, weighted };
}

/**
 * Returns the schema of a whole number in a query. It refuses other texts that JavaScript converts to numbers (0x10, 1e2,
 * blanks).
 */
export const integerField = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, `must be a whole number from ${least} to ${most}`)
    .transform(Number)
    .pipe(z.number().int().min(least).max(most))
    .meta({ type: 'integer', minimum: least, maximum: most });

/** Returns the schema of a whole number in a query; `missing` is its default. */
export const integerFieldWithDefault = (least: number, most: number, missing: number) =>
  integerField(least, most).default(missing).meta({ type: 'integer', minimum: least, maximum: most, missing });

/** Query parameters that select a page of a list. */
export const paginationFields = {
  limit: integerFieldWithDefault(1, 200, 50).describe('Maximum number of items in the response.'),
  cursor: textField(200)
    .optional()
    .describe('Cursor of the page, from the `Link` header of the previous response. Default: the first page.'),
};

/** A decimal number with up to 9 decimal places, as text or as a number. The result is text. */
export const decimalField = z.union([z.string(), z.number()]).transform((written, context) => {
  const normalised = normalisePrice(String(written));
  if (normalised !== null) return normalised;
  const message = `must be a decimal below ${MAX_PRICE}, with up to 9 places`;
  context.issues.push({ code: 'custom', message, input: written });
  return z.NEVER;
});

export const currencyField = z.string().refine(isCurrency, 'must be a currency of ISO 4217, such as EUR');

/** Returns the schema of a list. Its length is checked before its items, which is faster for a list that is too long. */
export const createBoundedArraySchema = <Item extends z.ZodType>(item: Item, least: number, most: number) =>
  z.preprocess((value, context) => {
    if (!Array.isArray(value) || value.length <= most) return value;
    context.issues.push({ code: 'custom', message: `must have at most ${most} items`, input: value, continue: false });
    return z.NEVER;
  }, z.array(item).min(least).max(most));

/** A phone number in E.164. */
export const phoneField = z.string().regex(/^\+[1-9]\d{6,14}$/, 'must be E.164, such as +4915112345678');
