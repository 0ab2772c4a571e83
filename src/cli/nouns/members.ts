import type { z } from 'zod';
import { words } from '#src/core/mistake-words.ts';
import { forTerminal } from '#src/core/output.ts';

/** An option of a command for a member of a request. */
interface MemberOption {
  member: string;
  /** As it is typed: `--limit-kw`. */
  flag: string;
  description: string;
}

/** The name of the option for a member, and of a member for commander's name of an option. */
export const flagOf = (member: string): string => `--${member.replaceAll('_', '-')}`;

/** Options for all members of a request but these. Pure. */
export const optionsOf = (
  shape: Readonly<Record<string, z.ZodType>>,
  without: readonly string[] = [],
): MemberOption[] =>
  Object.entries(shape)
    .filter(([member]) => !without.includes(member))
    .map(([member, schema]) => ({ member, flag: flagOf(member), description: descriptionOf(schema) }));

/** What a member is, for a terminal; `none` takes it away where it may be null. */
function descriptionOf(schema: z.ZodType): string {
  const said = sayingOf(schema).replaceAll('`', '');
  const may = schema.safeParse(null).success ? '"none" removes it' : '';
  return [said, may].filter((part) => part !== '').join(' ') || 'see the reference at /docs';
}

/** A description is that of what is wrapped, unless what wraps it has its own. */
function sayingOf(schema: z.ZodType): string {
  const { innerType } = schema.def as { innerType?: z.ZodType };
  return schema.description ?? (innerType ? sayingOf(innerType) : '');
}

/**
 * What was typed, as members of a request: a number, a list or an object where the member is one (in JSON), else as it is; `none` is null
 * where that may be. Throws, a line for each mistake, in the words of options. Pure.
 */
export function valuesOf(schema: z.ZodObject, typed: Readonly<Record<string, string>>): Record<string, unknown> {
  const members = schema.shape as Record<string, z.ZodType>;
  const given = Object.fromEntries(
    Object.entries(typed).map(([member, text]) => [member, meant(members[member] as z.ZodType, text)]),
  );
  const parsed = schema.safeParse(given, { error: words });
  if (parsed.success) return given;
  throw new Error(parsed.error.issues.map(({ path, message }) => mistake(path, message)).join('\n'));
}

/** `--limit-kw: must be a number`. */
export const mistake = ([member, ...path]: readonly PropertyKey[], message: string): string => {
  const where = [flagOf(String(member ?? '')), ...path.map(String)].join('.');
  return `${where}: ${message.charAt(0).toLowerCase()}${message.slice(1)}`;
};

function meant(schema: z.ZodType, text: string): unknown {
  if (text === 'none' && schema.safeParse(null).success) return null;
  if (schema.safeParse(text).success) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

type Row = Readonly<Record<string, unknown>>;

/**
 * Rows as a table of these columns, with a head. What others wrote is made harmless; where there is a `width` (of a terminal) lines end there.
 * Pure.
 */
export function tableOf(rows: readonly Row[], columns: readonly string[], width: number | null): string {
  const cells = [
    columns.map((name) => name.toUpperCase()),
    ...rows.map((row) => columns.map((name) => cellOf(row[name]))),
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

/** One thing: a line for each member. Pure. */
export function linesOf(thing: Row): string {
  const width = Math.max(...Object.keys(thing).map((name) => name.length));
  return Object.entries(thing)
    .map(([name, value]) => `${name.padEnd(width)}  ${cellOf(value)}`)
    .join('\n');
}

/** `-` stands for nothing. */
function cellOf(value: unknown): string {
  if (value === null || value === undefined || value === '') return '-';
  if (Array.isArray(value) && value.every((one) => typeof one === 'string'))
    return value.length === 0 ? '-' : forTerminal(value.join(','));
  return forTerminal(typeof value === 'object' ? JSON.stringify(value) : String(value));
}
