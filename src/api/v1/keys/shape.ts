import { z } from 'zod';
import { id, text } from '#src/api/fields.ts';
import { instant } from '#src/api/shapes.ts';
import type { CreatedKey, Key } from '#src/auth/keys.ts';
import { isScope, SCOPES } from '#src/auth/scopes.ts';

export const newKey = z.strictObject({
  user_id: id.optional(),
  name: text(100).optional(),
  scopes: z
    .array(z.enum(SCOPES))
    .min(1)
    .refine((list) => new Set(list).size === list.length, 'must not repeat')
    .optional(),
  expires_at: instant.optional(),
});
export const rotation = z.strictObject({ overlap_hours: z.number().min(0).max(720).optional() }).optional();

const members = {
  key_id: z.string(),
  prefix: z.string(),
  scopes: z.array(z.enum(SCOPES)),
  expires_at: instant.nullable(),
};
export const key = z
  .strictObject({
    ...members,
    name: z.string().nullable(),
    created_at: instant,
    last_used_at: instant.nullable(),
  })
  .meta({ id: 'Key' });
/** The only time that a key is shown. */
export const createdKey = z.strictObject({ ...members, key: z.string() }).meta({ id: 'CreatedKey' });
export const rotatedKey = createdKey.extend({ old_expires_at: instant }).meta({ id: 'RotatedKey' });

/** A key as lists show it: never the key itself. */
export const toWire = (row: Key): z.output<typeof key> => ({
  key_id: row.key_id,
  name: row.name,
  prefix: row.prefix,
  scopes: row.scopes.filter(isScope),
  created_at: row.created_at.toISOString(),
  last_used_at: row.last_used_at?.toISOString() ?? null,
  expires_at: row.expires_at?.toISOString() ?? null,
});

/** A key at its creation. */
export const createdToWire = (row: CreatedKey): z.output<typeof createdKey> => ({
  key_id: row.key_id,
  key: row.key,
  prefix: row.prefix,
  scopes: row.scopes,
  expires_at: row.expires_at?.toISOString() ?? null,
});
