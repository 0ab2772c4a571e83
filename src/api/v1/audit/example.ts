import { created_at, type Examples, key_id, user_id } from '../example-ids.ts';

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
