import { z } from 'zod';

/** Parts that answers of several nouns share; each noun's own are in its `v1/<noun>/shape.ts`. A test checks every answer against them. */
export const instant = z.iso.datetime({ offset: true });
export const day = z.iso.date();
/** Of a clock, HH:00; null where nothing is known. */
export const clockHour = z
  .string()
  .regex(/^\d\d:00$/)
  .nullable();

export const message = z.strictObject({ message: z.string() }).meta({ id: 'Message' });

export const error = z
  .strictObject({
    error: z.string(),
    status: z.number().int(),
    details: z.array(z.strictObject({ field: z.string(), message: z.string() })).optional(),
    retry_after: z.number().int().optional(),
    incident: z.string().optional(),
  })
  .meta({ id: 'ErrorBody' });
