import type { z } from 'zod';
import type { FieldError } from '#src/core/errors.ts';

/** Maximum number of validation errors in one response. */
export const MAX_VALIDATION_ERRORS = 100;

/**
 * Returns the validation errors of a value, each with the name of its field. `where`: name of the whole value. `rowName`: returns
 * the name of a row of a list.
 */
export function listFieldErrors(
  { issues }: z.ZodError,
  where: string,
  rowName: (index: number) => string,
): FieldError[] {
  return issues
    .slice(0, MAX_VALIDATION_ERRORS)
    .flatMap((issue) => errorsOfIssue(issue, issue.path))
    .slice(0, MAX_VALIDATION_ERRORS)
    .map(({ path: [first, ...path], message }) => ({
      field: [typeof first === 'number' ? rowName(first) : (first ?? where), ...path].join('.'),
      message,
    }));
}

interface ValidationError {
  path: readonly PropertyKey[];
  message: string;
}

function errorsOfIssue(issue: z.core.$ZodIssue, path: readonly PropertyKey[]): ValidationError[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((name) => ({ path: [...path, name], message: 'unknown field' }));
  if (issue.code === 'invalid_union') {
    // If a value matches none of several alternatives, only the errors of the closest alternative are reported: the one with the
    // fewest unknown fields.
    const [meant] = issue.errors.toSorted((one, other) => countUnknownFields(one) - countUnknownFields(other));
    if (meant) return meant.flatMap((one) => errorsOfIssue(one, [...path, ...one.path]));
  }
  return [{ path, message: issue.message }];
}

const countUnknownFields = (issues: readonly z.core.$ZodIssue[]): number =>
  issues.reduce(
    (sum, one) => sum + (one.code === 'unrecognized_keys' && one.path.length === 0 ? one.keys.length : 0),
    0,
  );
