import { z } from 'zod';
import { createBoundedArraySchema, idField, textField, userIdField } from '#src/api/fields.ts';
import { createdAtSchema, instantSchema, pickMembers } from '#src/api/shapes.ts';
import { MAX_ALLOWED_ADDRESSES, normaliseNetwork } from '#src/auth/allowed-addresses.ts';
import { type CreatedKey, type Key, MAX_KEY_ROTATION_OVERLAP_HOURS } from '#src/auth/keys.ts';
import { isScope, SCOPES } from '#src/auth/scopes.ts';
import { created_at, type Examples, key_id } from '../example-ids.ts';

/** Latest time in Unix ms that RFC 3339 can express in UTC. */
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z');

/** Time at which a key expires, in a request. */
const end = instantSchema.refine((text) => Date.parse(text) <= LAST_MS, 'must lie before the year 10000 in UTC');

const network = z
  .string()
  .max(64)
  .transform((written, context) => {
    const normal = normaliseNetwork(written);
    if (normal !== null) return normal;
    const message = 'must be an address or a network, such as 203.0.113.7, 10.0.0.0/8 or 2001:db8::/32';
    context.issues.push({ code: 'custom', message, input: written });
    return z.NEVER;
  });
const allowed = createBoundedArraySchema(network, 0, MAX_ALLOWED_ADDRESSES).transform((all) => [...new Set(all)]);

export const newKeySchema = z.strictObject({
  user_id: userIdField.optional(),
  name: textField(100).optional().describe('Name of the key, chosen by its owner.'),
  scopes: createBoundedArraySchema(z.enum(SCOPES), 1, SCOPES.length)
    .refine((list) => new Set(list).size === list.length, 'must not repeat')
    .optional()
    .describe(
      'Scopes of the key. Default: all scopes except those for single readings (`readings:…`), or all that a utility may give to its homeowners.',
    ),
  group_id: idField
    .optional()
    .describe(
      'Id of a group of the user: the key can read only its homes, the homes of its subgroups, and their totals. All scopes must then end in `:read`, without `readings:read`.',
    ),
  device_id: idField
    .optional()
    .describe(
      'Id of a device: the key can only write its readings. Its only scope is then `readings:write`, the default.',
    ),
  home_user_id: idField
    .optional()
    .describe(
      'Id of another account’s home of which the caller’s account is a member. The key can access only that home, which is also the default `user_id`, and ends with the membership. Default scopes: all that the membership gives, except those for single readings.',
    ),
  expires_at: end.optional().describe('Expiry time of the key. Default: that of the key that creates it, or never.'),
  allowed_addresses: allowed
    .optional()
    .describe(
      'IPv4 and IPv6 addresses and networks from which the key may be used. Default: the allowed addresses of the key that creates it. Empty: any address.',
    ),
});
export const keyLimitsSchema = z.strictObject({
  expires_at: end.nullable().optional().describe('Expiry time of the key. Null: never.'),
  allowed_addresses: allowed
    .optional()
    .describe('IPv4 and IPv6 addresses and networks from which the key may be used. Empty: any address.'),
});
export const rotationSchema = z
  .strictObject({
    overlap_hours: z
      .number()
      .min(0)
      .max(MAX_KEY_ROTATION_OVERLAP_HOURS)
      .optional()
      .describe('Time for which the old key stays valid, in hours. Default: 24.'),
    expires_at: end
      .optional()
      .describe('Expiry time of the new key. Default: that of the key of the request, or never.'),
  })
  .optional();

const members = {
  key_id: z.string().describe('Id of the key.'),
  prefix: z.string().describe('First characters of the key, for recognition.'),
  scopes: z
    .array(z.enum(SCOPES))
    .describe('Scopes of the key. The role of its owner decides which data it can access.'),
  expires_at: instantSchema.nullable().describe('Expiry time of the key. Null: never.'),
  group_id: z.string().optional().describe('Id of the group to which the key is limited. Absent without such a limit.'),
  device_id: z
    .string()
    .optional()
    .describe('Id of the device to which the key is limited. Absent without such a limit.'),
  home_user_id: z
    .string()
    .optional()
    .describe(
      'Id of the home to which the key is limited. Only in keys that a member created for the home of another account.',
    ),
  allowed_addresses: z
    .array(z.string())
    .describe('IPv4 and IPv6 addresses and networks from which the key may be used. Empty: any address.'),
};
export const keySchema = z
  .strictObject({
    ...members,
    name: z.string().nullable().describe('Name of the key, chosen by its owner. Null: none.'),
    created_at: createdAtSchema,
    last_used_at: instantSchema.nullable().describe('Time of the last use. Null: never used.'),
  })
  .meta({ id: 'Key' });
/** A new key. Only this response contains the secret. */
export const createdKeySchema = z
  .strictObject({ ...members, key: z.string().describe('The key itself. It is not shown again.') })
  .meta({ id: 'CreatedKey' });
export const rotatedKeySchema = createdKeySchema
  .extend({ old_expires_at: instantSchema.describe('Expiry time of the old key.') })
  .meta({ id: 'RotatedKey' });

/** Converts a stored key to its form in responses, without the secret. */
export const keyToResponse = ({ group_id, device_id, home_user_id, ...row }: Key): z.output<typeof keySchema> => ({
  ...pickMembers(keySchema, row),
  scopes: row.scopes.filter(isScope),
  ...(group_id !== null && { group_id }),
  ...(device_id !== null && { device_id }),
  ...(home_user_id !== null && { home_user_id }),
});

/** Converts a new key to the response to its creation. */
export const createdKeyToResponse = (row: CreatedKey): z.output<typeof createdKeySchema> =>
  pickMembers(createdKeySchema, row);

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
