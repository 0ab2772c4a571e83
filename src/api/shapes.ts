import { z } from 'zod';
import { SCOPES } from '#src/auth/scopes.ts';

/** What answers look like: the OpenAPI document is made of these, and a test holds every answer to them. */
export const instant = z.iso.datetime({ offset: true });
export const day = z.iso.date();
/** Of a clock, HH:00; null where nothing is known. */
export const clockHour = z
  .string()
  .regex(/^\d\d:00$/)
  .nullable();

export const message = z.strictObject({ message: z.string() }).meta({ id: 'Message' });

const keyFields = {
  key_id: z.string(),
  prefix: z.string(),
  scopes: z.array(z.enum(SCOPES)),
  expires_at: instant.nullable(),
};
export const key = z
  .strictObject({
    ...keyFields,
    name: z.string().nullable(),
    created_at: instant,
    last_used_at: instant.nullable(),
  })
  .meta({ id: 'Key' });
export const createdKey = z.strictObject({ ...keyFields, key: z.string() }).meta({ id: 'CreatedKey' });
export const rotatedKey = createdKey.extend({ old_expires_at: instant }).meta({ id: 'RotatedKey' });

export const error = z
  .strictObject({
    error: z.string(),
    status: z.number().int(),
    details: z.array(z.strictObject({ field: z.string(), message: z.string() })).optional(),
    retry_after: z.number().int().optional(),
    incident: z.string().optional(),
  })
  .meta({ id: 'ErrorBody' });
