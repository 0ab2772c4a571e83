import { z } from 'zod';

/**
 * Schemas that responses of several resources share; each resource's own are in its `v1/<noun>/shape.ts`. A test checks every response
 * against them.
 */
export const userId = z.string().describe('Id of the user that it belongs to.');
export const deviceId = z.string().describe('Id of the device.');
export const createdAt = z.iso.datetime({ offset: true }).describe('When it was created.');
export const instantShape = z.iso.datetime({ offset: true });
export const dayShape = z.iso.date();
/** Hour on a clock, HH:00. Null if unknown. */
export const clockHourShape = z
  .string()
  .regex(/^\d\d:00$/)
  .nullable();

export const message = z
  .strictObject({ message: z.string().describe('What was done, for a person to read.') })
  .meta({ id: 'Message' });

export const error = z
  .strictObject({
    error: z.string().describe('What went wrong, for a person to read.'),
    status: z.number().int().describe('Status code of the answer.'),
    code: z
      .string()
      .describe(
        'What went wrong, for a program: a word of the list of errors, such as `key_revoked`. It does not change.',
      ),
    doc_url: z.url().describe('Where the reference explains the error.'),
    details: z
      .array(
        z.strictObject({
          field: z.string().describe('Path of the member, parameter or header, such as `channels.0.counts_as`.'),
          message: z.string().describe('What is wrong with it.'),
        }),
      )
      .optional()
      .describe('Each mistake in the request.'),
    retry_after: z.number().int().optional().describe('With 429: seconds to wait before the next request.'),
    incident: z.string().optional().describe('With 500: id of the request in the log of the service.'),
  })
  .meta({ id: 'ErrorBody' });
