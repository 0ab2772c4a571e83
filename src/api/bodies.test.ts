import { expect, test } from 'vitest';
import type { z } from 'zod';
import { DASHBOARD_OPERATIONS } from './dashboard/operations.ts';
import { OPERATIONS } from './v1/operations.ts';

/** A JSON array with more items than any request may contain. */
const TOO_MANY = Array.from({ length: 150_000 }, () => 0);

const bodies = [...OPERATIONS, ...DASHBOARD_OPERATIONS].flatMap(({ method, path, body }) =>
  body ? [[`${method} ${path}`, body as z.ZodType] as const] : [],
);
const membersOf = (body: z.ZodType): string[] => {
  const { shape, innerType } = body.def as { shape?: object; innerType?: z.ZodType };
  return shape ? Object.keys(shape) : innerType ? membersOf(innerType) : [];
};

test.each(bodies)('the lists in the body of %s are counted before their items are checked', (_name, body) => {
  for (const value of [TOO_MANY, ...membersOf(body).map((member) => ({ [member]: TOO_MANY }))])
    expect(body.safeParse(value).error?.issues.length ?? 0).toBeLessThan(100);
});
