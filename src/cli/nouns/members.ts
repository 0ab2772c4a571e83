import type { z } from 'zod';
import { escapeLineForTerminal } from '#src/core/output.ts';
import { describeValidationIssue } from '#src/core/validation-messages.ts';

/** A command-line option that sets one member of a request. */
interface MemberOption {
  member: string;
  /** The option as a user types it: `--limit-kw`. */
  flag: string;
  description: string;
}

/** Returns the name of the command-line option for a member of a request, such as `--limit-kw` for `limit_kw`. */
export const getOptionFlag = (member: string): string => `--${member.replaceAll('_', '-')}`;

/** Returns a command-line option for each member of a request, except the excluded members. */
export const listRequestOptions = (
  shape: Readonly<Record<string, z.ZodType>>,
  without: readonly string[] = [],
): MemberOption[] =>
  Object.entries(shape)
    .filter(([member]) => !without.includes(member))
    .map(([member, schema]) => ({ member, flag: getOptionFlag(member), description: descriptionOf(schema) }));

/** Describes a member for the command's help. */
function descriptionOf(schema: z.ZodType): string {
  const explanation = sayingOf(schema).replaceAll('`', '');
  const may = schema.safeParse(null).success ? '"none" removes it' : '';
  const several = isList(schema) ? 'Commas separate several.' : '';
  return [explanation, several, may].filter((part) => part !== '').join(' ') || 'see the reference at /docs';
}

/** Returns the description of a schema or, if it has none, of the schema that it wraps. */
function sayingOf(schema: z.ZodType): string {
  const { innerType } = schema.def as { innerType?: z.ZodType };
  return schema.description ?? (innerType ? sayingOf(innerType) : '');
}

/**
 * Converts typed text into the members of a request. Numbers, objects and lists in brackets are parsed as JSON; commas separate the items
 * of other lists. `none` means null. Throws an error with one line for each invalid option.
 */
export function parseOptionValues(
  schema: z.ZodObject,
  typed: Readonly<Record<string, string>>,
): Record<string, unknown> {
  const members = schema.shape as Record<string, z.ZodType>;
  const converted = Object.fromEntries(
    Object.entries(typed).map(([member, text]) => [member, meant(members[member] as z.ZodType, text)]),
  );
  const parsed = schema.safeParse(converted, { error: describeValidationIssue });
  if (parsed.success) return converted;
  throw new Error(parsed.error.issues.map(({ path, message }) => formatOptionError(path, message)).join('\n'));
}

/** Formats an error about an option, such as `--limit-kw: must be a number`. */
export const formatOptionError = ([member, ...path]: readonly PropertyKey[], message: string): string => {
  const where = [getOptionFlag(String(member ?? '')), ...path.map(String)].join('.');
  return `${where}: ${message.charAt(0).toLowerCase()}${message.slice(1)}`;
};

/** Whether a member's schema is a list, possibly wrapped. */
const isList = (schema: z.ZodType): boolean =>
  schema.safeParse('').error?.issues.some((issue) => issue.code === 'invalid_type' && issue.expected === 'array') ??
  false;

function meant(schema: z.ZodType, text: string): unknown {
  if (text === 'none' && schema.safeParse(null).success) return null;
  if (schema.safeParse(text).success) return text;
  if (isList(schema) && !/^\s*\[/.test(text)) return text.split(',').map((item) => item.trim());
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

type Row = Readonly<Record<string, unknown>>;

/**
 * Formats rows as a table with a header. Escapes control characters. `width`: number of characters of the terminal, at which lines are cut;
 * null: not cut.
 */
export function formatTable(rows: readonly Row[], columns: readonly string[], width: number | null): string {
  const cells = [
    columns.map((name) => name.toUpperCase()),
    ...rows.map((row) => columns.map((name) => cellOf(valueAt(row, name)))),
  ];
  const widths = columns.map((_, index) => Math.max(...cells.map((line) => line[index]?.length ?? 0)));
  return cells
    .map((line) =>
      line
        .map((cell, index) => cell.padEnd(widths[index] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .map((line) => (width !== null && line.length > width ? `${line.slice(0, width - 1)}…` : line))
    .join('\n');
}

/** Returns the value of a row in a column. A column such as `app.name` is a nested member. */
const valueAt = (row: unknown, column: string): unknown =>
  column.split('.').reduce((value, name) => (value as Row | null | undefined)?.[name], row);

/** Formats one object, with one line for each member. */
export function formatObject(thing: Row): string {
  const width = Math.max(...Object.keys(thing).map((name) => name.length));
  return Object.entries(thing)
    .map(([name, value]) => `${name.padEnd(width)}  ${cellOf(value)}`)
    .join('\n');
}

/** Formats a value for a table; an empty value becomes `-`. */
function cellOf(value: unknown): string {
  if (value === null || value === undefined || value === '') return '-';
  if (Array.isArray(value) && value.every((one) => typeof one === 'string'))
    return value.length === 0 ? '-' : escapeLineForTerminal(value.join(','));
  return escapeLineForTerminal(typeof value === 'object' ? JSON.stringify(value) : String(value));
}
