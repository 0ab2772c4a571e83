import type { z } from 'zod';

/** Descriptions of the expected types of values, by zod's names of the types. */
const KINDS: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'an array',
  null: 'null',
};
const FORMS: Readonly<Record<string, string>> = {
  datetime: 'a time with its zone, such as 2026-07-05T19:00:01Z',
  date: 'a date, such as 2026-07-05',
  email: 'an e-mail address',
  base64: 'base64',
};

/** Describes a zod issue in plain words, as the `error` option of a parse call. Undefined if zod's own message is plain enough. */
export function describeValidationIssue(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type': {
      if (issue.input === undefined) return 'is required';
      const kind = KINDS[issue.expected as string];
      return kind && `must be ${kind}`;
    }
    case 'invalid_value':
      return `must be one of ${(issue.values as unknown[]).join(', ')}`;
    case 'invalid_format': {
      const form = FORMS[issue.format as string];
      return form && `must be ${form}`;
    }
    case 'too_big':
      return bound(issue, issue.maximum, { inclusive: 'or less', exclusive: 'less than', ofItems: 'at most' });
    case 'too_small':
      if (issue.origin !== 'number' && issue.minimum === 1) return 'must not be empty';
      return bound(issue, issue.minimum, { inclusive: 'or more', exclusive: 'more than', ofItems: 'at least' });
    default:
      return undefined;
  }
}

function bound(
  { origin, inclusive }: z.core.$ZodRawIssue,
  limit: unknown,
  say: { inclusive: string; exclusive: string; ofItems: string },
): string | undefined {
  if (origin === 'string') return `must have ${limit} characters ${say.ofItems}`;
  if (origin === 'array') return `must have ${limit} ${limit === 1 ? 'item' : 'items'} ${say.ofItems}`;
  if (origin !== 'number' && origin !== 'int') return undefined;
  return inclusive === false ? `must be ${say.exclusive} ${limit}` : `must be ${limit} ${say.inclusive}`;
}
