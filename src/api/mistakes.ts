import type { z } from 'zod';
import type { FieldError } from '#src/core/errors.ts';

/** Of a body with thousands of mistakes the first tell enough. */
export const MAX_MISTAKES = 100;

/** What is wrong with a value, member by member. `where`: what it is as a whole; `rowName`: how the rows of a list are called. */
export function mistakesIn({ issues }: z.ZodError, where: string, rowName: (index: number) => string): FieldError[] {
  return issues
    .slice(0, MAX_MISTAKES)
    .flatMap((issue) => mistakes(issue, issue.path))
    .slice(0, MAX_MISTAKES)
    .map(({ path: [first, ...path], message }) => ({
      field: [typeof first === 'number' ? rowName(first) : (first ?? where), ...path].join('.'),
      message,
    }));
}

interface Mistake {
  path: readonly PropertyKey[];
  message: string;
}

function mistakes(issue: z.core.$ZodIssue, path: readonly PropertyKey[]): Mistake[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((name) => ({ path: [...path, name], message: 'unknown field' }));
  if (issue.code === 'invalid_union') {
    // Which of them was meant? That which knows most of the members, whatever is in those.
    const [meant] = issue.errors.toSorted((one, other) => strangers(one) - strangers(other));
    if (meant) return meant.flatMap((one) => mistakes(one, [...path, ...one.path]));
  }
  return [{ path, message: issue.message }];
}

const strangers = (issues: readonly z.core.$ZodIssue[]): number =>
  issues.reduce(
    (sum, one) => sum + (one.code === 'unrecognized_keys' && one.path.length === 0 ? one.keys.length : 0),
    0,
  );
