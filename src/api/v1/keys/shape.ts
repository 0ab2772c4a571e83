import { z } from 'zod';
import { idField, listOf, textField, userIdField } from '#src/api/fields.ts';
import { createdAt, instantShape } from '#src/api/shapes.ts';
import { MAX_ALLOWED, normalNetwork } from '#src/auth/allowed-addresses.ts';
import type { CreatedKey, Key } from '#src/auth/keys.ts';
import { isScope, SCOPES } from '#src/auth/scopes.ts';
import { omitUndefined } from '#src/core/omit-undefined.ts';
import { created_at, type Examples, key_id } from '../example-ids.ts';

/** Last moment that RFC 3339 can express in UTC. With an offset, a time may lie beyond it. */
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z');

/** End of a key's validity. */
const end = instantShape.refine((text) => Date.parse(text) <= LAST_MS, 'must lie before the year 10000 in UTC');

const network = z
  .string()
  .max(64)
  .transform((written, context) => {
    const normal = normalNetwork(written);
    if (normal !== null) return normal;
    const message = 'must be an address or a network, such as 203.0.113.7, 10.0.0.0/8 or 2001:db8::/32';
    context.issues.push({ code: 'custom', message, input: written });
    return z.NEVER;
  });
const allowed = listOf(network, 0, MAX_ALLOWED).transform((all) => [...new Set(all)]);

export const newKey = z.strictObject({
  user_id: userIdField.optional(),
  name: textField(100).optional().describe('What its owner calls the key.'),
  scopes: z
    .array(z.enum(SCOPES))
    .min(1)
    .refine((list) => new Set(list).size === list.length, 'must not repeat')
    .optional()
    .describe(
      'What the key may do. Default: all but those of single readings (`readings:…`), or what a utility may give to its homeowners.',
    ),
  group_id: idField
    .optional()
    .describe(
      'A group of the user: the key reads only its homes, those of the groups below it, and their sums. Its scopes must then end in `:read`; `readings:read` is not among them.',
    ),
  device_id: idField
    .optional()
    .describe(
      'A device: the key writes its readings and does nothing else. Its scopes are then `readings:write`, the default.',
    ),
  home_user_id: idField
    .optional()
    .describe(
      'The home of another account, of which the caller’s account is a member: the key reaches that home alone, which is meant without `user_id`, and ends with the membership. Default scopes: all that the membership gives, but those of single readings.',
    ),
  expires_at: end.optional().describe('When the key ends. Default: never.'),
  allowed_addresses: allowed
    .optional()
    .describe(
      'Addresses and networks that the key may be used from, IPv4 and IPv6. Default: those of the key that makes it; none: everywhere.',
    ),
});
export const keyLimits = z.strictObject({
  expires_at: end.nullable().optional().describe('When the key ends. Null: never.'),
  allowed_addresses: allowed
    .optional()
    .describe('Addresses and networks that the key may be used from, IPv4 and IPv6. None: everywhere.'),
});
export const rotation = z
  .strictObject({
    overlap_hours: z
      .number()
      .min(0)
      .max(720)
      .optional()
      .describe('How long the old key goes on, in hours. Default: 24.'),
    expires_at: end.optional().describe('When the new key ends. Default: never.'),
  })
  .optional();

const members = {
  key_id: z.string().describe('Id of the key.'),
  prefix: z.string().describe('The first characters of the key, to recognise it by.'),
  scopes: z.array(z.enum(SCOPES)).describe('What the key may do. The role of its owner decides whose data it reaches.'),
  expires_at: instantShape.nullable().describe('When the key ends. Null: never.'),
  group_id: z
    .string()
    .optional()
    .describe('The group whose homes are all that the key reads. Only of keys that are limited to one.'),
  device_id: z
    .string()
    .optional()
    .describe('The device whose readings are all that the key writes. Only of keys that are limited to one.'),
  home_user_id: z
    .string()
    .optional()
    .describe('The home of another account that is all that the key reaches. Only of keys that a member made for it.'),
  allowed_addresses: z
    .array(z.string())
    .describe('Addresses and networks that the key may be used from. None: everywhere.'),
};
export const key = z
  .strictObject({
    ...members,
    name: z.string().nullable().describe('What its owner calls the key. Null: it has no name.'),
    created_at: createdAt,
    last_used_at: instantShape.nullable().describe('When the key was last used. Null: never.'),
  })
  .meta({ id: 'Key' });
/** The key itself is only returned here, once. */
export const createdKey = z
  .strictObject({ ...members, key: z.string().describe('The key itself. It is not shown again.') })
  .meta({ id: 'CreatedKey' });
export const rotatedKey = createdKey
  .extend({ old_expires_at: instantShape.describe('When the old key ends.') })
  .meta({ id: 'RotatedKey' });

/** Converts a key for a list, without the key itself. */
export const toWire = (row: Key): z.output<typeof key> => ({
  key_id: row.key_id,
  name: row.name,
  prefix: row.prefix,
  scopes: row.scopes.filter(isScope),
  created_at: row.created_at.toISOString(),
  last_used_at: row.last_used_at?.toISOString() ?? null,
  expires_at: row.expires_at?.toISOString() ?? null,
  ...omitUndefined({
    group_id: row.group_id ?? undefined,
    device_id: row.device_id ?? undefined,
    home_user_id: row.home_user_id ?? undefined,
  }),
  allowed_addresses: row.allowed_addresses,
});

/** Converts a key for the response to its creation. */
export const createdToWire = (row: CreatedKey): z.output<typeof createdKey> => ({
  key_id: row.key_id,
  key: row.key,
  prefix: row.prefix,
  scopes: row.scopes,
  expires_at: row.expires_at?.toISOString() ?? null,
  ...omitUndefined({ group_id: row.group_id, device_id: row.device_id, home_user_id: row.home_user_id }),
  allowed_addresses: row.allowed_addresses,
});

const exampleKey = {
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
    answer: { ...exampleKey, key: secret },
  },
  listKeys: { answer: [{ ...exampleKey, name: 'spreadsheet', created_at, last_used_at: null }] },
  updateKey: {
    body: { allowed_addresses: ['203.0.113.0/24'] },
    answer: { ...exampleKey, name: 'spreadsheet', created_at, last_used_at: null },
  },
  revokeKey: { answer: { message: `Key ${key_id} was revoked` } },
  rotateKey: {
    body: { overlap_hours: 24 },
    answer: { ...exampleKey, key: secret, old_expires_at: '2026-06-16T12:00:00.000Z' },
  },
} satisfies Examples;
