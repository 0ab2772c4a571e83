import { created_at, type Examples, key_id } from '../example-ids.ts';

const key = {
  key_id,
  prefix: 'eus_live_7Kq2mX',
  scopes: ['insights:read', 'devices:read'],
  expires_at: null,
  allowed_addresses: ['203.0.113.0/24'],
};
const secret = 'eus_live_7Kq2mX… (shown once)';

export const KEY_EXAMPLES = {
  createKey: {
    body: {
      name: 'spreadsheet',
      scopes: ['insights:read', 'devices:read'],
      allowed_addresses: ['203.0.113.0/24'],
    },
    answer: { ...key, key: secret },
  },
  listKeys: { answer: [{ ...key, name: 'spreadsheet', created_at, last_used_at: null }] },
  updateKey: {
    body: { allowed_addresses: ['203.0.113.0/24'] },
    answer: { ...key, name: 'spreadsheet', created_at, last_used_at: null },
  },
  revokeKey: { answer: { message: `Key ${key_id} was revoked` } },
  rotateKey: {
    body: { overlap_hours: 24 },
    answer: { ...key, key: secret, old_expires_at: '2026-06-16T12:00:00.000Z' },
  },
} satisfies Examples;
