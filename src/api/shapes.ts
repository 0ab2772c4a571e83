import { z } from 'zod';
import { AppError } from '#src/core/errors.ts';

/** Schemas that responses of several resources share. The schemas of a single resource are in `v1/<noun>/shape.ts`. */
export const userIdSchema = z.string().describe('Id of the user who owns the object.');
export const deviceIdSchema = z.string().describe('Id of the device.');
export const createdAtSchema = z.iso.datetime({ offset: true }).describe('Time of creation.');
export const instantSchema = z.iso.datetime({ offset: true });
export const daySchema = z.iso.date();
/** Hour of the day in local time, as HH:00. Null if unknown. */
export const clockHourSchema = z
  .string()
  .regex(/^\d\d:00$/)
  .nullable();

type WithIsoTimes<Row> = {
  [Name in keyof Row]: Row[Name] extends Date ? string : Row[Name] extends Date | null ? string | null : Row[Name];
};

/** Returns those columns of a row that the schema of a response names. Times become ISO 8601 in UTC. */
export const pickMembers = <Shape extends z.ZodRawShape, Row extends object>(
  { shape }: z.ZodObject<Shape>,
  row: Row,
): WithIsoTimes<Pick<Row, Extract<keyof Row, keyof Shape>>> =>
  Object.fromEntries(
    Object.keys(shape).flatMap((name) => {
      const value = (row as Record<string, unknown>)[name];
      return value === undefined ? [] : [[name, value instanceof Date ? value.toISOString() : value]];
    }),
  ) as WithIsoTimes<Pick<Row, Extract<keyof Row, keyof Shape>>>;

export const messageSchema = z
  .strictObject({ message: z.string().describe('Result of the request, for people.') })
  .meta({ id: 'Message' });

/** Returns the response to a change. Throws 404 if the object to change was not found. */
export function respondOrThrowNotFound(isFound: boolean, text: string): z.output<typeof messageSchema> {
  if (!isFound) throw new AppError('notFound');
  return { message: text };
}

export const errorSchema = z
  .strictObject({
    error: z.string().describe('Error message for people.'),
    status: z.number().int().describe('HTTP status code of the response.'),
    code: z
      .string()
      .describe('Error code for programs: a word from the list of errors, such as `key_revoked`. It does not change.'),
    doc_url: z.url().describe('Address of the explanation in the reference.'),
    details: z
      .array(
        z.strictObject({
          field: z.string().describe('Path of the member, parameter or header, such as `channels.0.counts_as`.'),
          message: z.string().describe('Error in this field.'),
        }),
      )
      .optional()
      .describe('All validation errors of the request.'),
    retry_after: z.number().int().optional().describe('With 429: seconds to wait before the next request.'),
    incident: z.string().optional().describe('With 500: id of the request in the log of the service.'),
  })
  .meta({ id: 'ErrorBody' });
