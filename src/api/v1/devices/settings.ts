import { z } from 'zod';
import { text, zone } from '#src/api/fields.ts';
import { decoderConfigMembers } from '#src/devices/decoder-config.ts';

/** What can be said of a device when it is paired, and changed later. */
export const deviceSettings = {
  type: text(64),
  location: text(200),
  limit_kw: z.number().positive().max(1_000_000),
  register_max_kwh: z.number().positive().max(9_000_000_000),
  max_gap_minutes: z.number().positive().max(1_440),
  timezone: zone,
};

/** What a decoder must be told: units, pulses, zone. What is not known to any is kept. */
export const decoderConfig = z
  .looseObject({ ...z.object(decoderConfigMembers).partial().shape, tz: zone.optional() })
  .refine((value) => JSON.stringify(value).length <= 65_536, 'at most 64 KiB')
  .refine((value) => !JSON.stringify(value).includes('\\u0000'), 'must not contain NUL');
