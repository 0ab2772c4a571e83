import type { z } from 'zod';
import { words } from '#src/core/mistake-words.ts';

/** An option of a command for a member of a request. */
export interface MemberOption {
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
