import { z } from 'zod';
import { instant } from '#src/api/shapes.ts';
import type { Audited } from '#src/users/audit.ts';

export const act = z
  .strictObject({
    audit_id: z.string(),
    at: instant,
    actor_user_id: z
      .string()
      .nullable()
      .describe(
        'Null: an operator at the command line, or somebody who was not signed in. `erased_…`: the account is gone.',
      ),
    actor_key_id: z.string().nullable().describe('The API key or the session that it came with.'),
    address: z.string().nullable().describe('An IP address, or `cli`.'),
    action: z.string().describe('Such as `key.created`.'),
    target: z.string().nullable().describe('Id of what was changed.'),
    details: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'Act' });

/** An act as answers show it. */
export const toWire = ({ at, details, ...row }: Audited): z.output<typeof act> => ({
  ...row,
  at: at.toISOString(),
  details: details as Record<string, unknown>,
});
