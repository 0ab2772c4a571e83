import { expect, test } from 'vitest';
import { z } from 'zod';
import { describeValidationIssue } from './validation-messages.ts';

const messageOf = (schema: z.ZodType, value: unknown) => {
  const { error } = schema.safeParse(value, { error: describeValidationIssue });
  return error?.issues.map(({ message }) => message);
};

test.each([
  [z.object({}), undefined, 'is required'],
  [z.object({}), null, 'must be an object'],
  [z.string(), 5, 'must be a string'],
  [z.number(), '5', 'must be a number'],
  [z.coerce.number(), 'five', 'must be a number'],
  [z.number().int(), 1.5, 'must be a whole number'],
  [z.boolean(), 'yes', 'must be true or false'],
  [z.array(z.string()), {}, 'must be an array'],
  [z.enum(['a', 'b']), 'c', 'must be one of a, b'],
  [z.coerce.number().max(65_535), '99999', 'must be 65535 or less'],
  [z.number().min(1), 0, 'must be 1 or more'],
  [z.number().positive(), 0, 'must be more than 0'],
  [z.number().lt(10), 10, 'must be less than 10'],
  [z.string().min(1), '', 'must not be empty'],
  [z.string().min(8), 'short', 'must have 8 characters at least'],
  [z.string().max(3), 'long', 'must have 3 characters at most'],
  [z.array(z.number()).max(1), [1, 2], 'must have 1 item at most'],
  [z.iso.datetime({ offset: true }), 'soon', 'must be a time with its zone, such as 2026-07-05T19:00:01Z'],
  [z.number().min(12, 'a schema’s own words'), 3, 'a schema’s own words'],
] as const)('prints validation error %# in plain words', (schema, value, expected) => {
  expect(messageOf(schema, value)).toEqual([expected]);
});
