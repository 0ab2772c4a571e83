import { z } from 'zod';
import { instantSchema } from '#src/api/shapes.ts';
import type { AuditLogEntry } from '#src/users/audit.ts';
import { created_at, type Examples, key_id, user_id } from '../example-ids.ts';

export const auditRecordSchema = z
  .strictObject({
    audit_id: z.string().describe('Id of the entry.'),
    at: instantSchema.describe('Time of the action.'),
    actor_user_id: z
      .string()
      .nullable()
      .describe(
        'Id of the user who acted. Null: an operator at the command line, the service itself, or a caller who was not signed in. `erased_…`: the account was deleted.',
      ),
    actor_key_id: z.string().nullable().describe('Id of the API key or session that was used. Null: none.'),
    address: z
      .string()
      .nullable()
      .describe('Origin: an IP address, or `cli`. Null: unknown, or the entry was caused by another entry.'),
    action: z.string().describe('Action, such as `key.created`.'),
    target: z.string().nullable().describe('Id of the changed object. Null: the object has no id.'),
    details: z.record(z.string(), z.unknown()).describe('Members of the request; some with their values.'),
  })
  .meta({ id: 'Act' });

/** Converts an audit entry to its form in responses, without e-mail addresses. */
export const auditRecordToResponse = ({
  at,
  details,
  actor_email: _,
  target_email: __,
  ...row
}: AuditLogEntry): z.output<typeof auditRecordSchema> => ({
  ...row,
  at: at.toISOString(),
  details: details as Record<string, unknown>,
});

export const AUDIT_EXAMPLES = {
  listAudit: {
    answer: [
      {
        audit_id: 'aud_01k8xqbz4e6t8w2xk5mr9p1shv',
        at: created_at,
        actor_user_id: user_id,
        actor_key_id: key_id,
        address: '192.0.2.7',
        action: 'user.changed',
        target: user_id,
        details: { members: ['plan'], plan: 'developer' },
      },
    ],
  },
} satisfies Examples;
