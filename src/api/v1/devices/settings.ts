import { z } from 'zod';
import { text, zone } from '#src/api/fields.ts';

/** What can be said of a device when it is paired, and changed later. */
export const deviceSettings = {
  type: text(64),
  location: text(200),
  limit_kw: z.number().positive().max(1_000_000),
  register_max_kwh: z.number().positive().max(9_000_000_000),
  max_gap_minutes: z.number().positive().max(1_440),
  timezone: zone,
};

/** What a decoder must be told: units, pulses, zone. Flat, and small. */
export const decoderConfig = z
  .record(z.string().min(1).max(64), z.union([z.string().max(256), z.number(), z.boolean(), z.null()]))
  .refine((value) => Object.keys(value).length <= 50, 'at most 50 settings')
  .refine((value) => !JSON.stringify(value).includes('\\u0000'), 'must not contain NUL');
