import { z } from 'zod';
import { createBoundedArraySchema, idField } from '#src/api/fields.ts';
import { createdAtSchema, deviceIdSchema } from '#src/api/shapes.ts';
import { newDeviceSchema } from '#src/api/v1/devices/shape.ts';
import { decoderConfigSchema } from '#src/api/v1/gateways/shape.ts';
import { emailSchema } from '#src/api/v1/users/shape.ts';
import { omitUndefined } from '#src/core/omit-undefined.ts';
import { getReadingsTopic } from '#src/devices/topics.ts';
import type { ImportRecord } from '#src/onboarding/imports.ts';
import type { DeviceImportRow } from '#src/onboarding/plan.ts';
import { created_at, device_id, type Examples } from '../example-ids.ts';

/** Maximum number of rows of an import over HTTPS. */
export const MAX_IMPORTED_DEVICES = 20_000;

/** A row of an import: a device as in `POST /v1/devices`, and its owner. */
export const importedDeviceSchema = newDeviceSchema
  .extend({
    user_id: idField
      .optional()
      .describe('Id of the device’s owner. Default, if `email` is absent as well: the owner of the key.'),
    email: emailSchema.optional().describe('E-mail address of the device’s owner, instead of `user_id`.'),
    decoder_config: decoderConfigSchema.optional(),
  })
  .refine(({ user_id, email }) => user_id === undefined || email === undefined, {
    error: 'give user_id or email, not both',
    path: ['email'],
  });

export const newImportSchema = createBoundedArraySchema(importedDeviceSchema, 1, MAX_IMPORTED_DEVICES);

export const importQuerySchema = z.object({
  create_users: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .default(false)
    .meta({ type: 'boolean', enum: undefined, default: false })
    .describe(
      'Whether homeowner accounts are created for unknown e-mail addresses. Needs `users:write`, and is for utilities and administrators.',
    ),
});

export const importResponseSchema = z
  .strictObject({
    import_id: z.string().describe('Id of the import.'),
    state: z
      .literal('completed')
      .describe('State of the import. The import is complete before the response, or it is rejected as a whole.'),
    created_at: createdAtSchema,
    rows: z.number().int().describe('Number of rows in the import.'),
    created: z.number().int().describe('Number of devices that were created.'),
    existing: z.number().int().describe('Number of rows that matched an existing device, which did not change.'),
    users_created: z.number().int().describe('Number of accounts that were created.'),
    differing: z
      .array(
        z.strictObject({
          row: z
            .string()
            .describe('Position of the row: `line 3` in a CSV file, or a zero-based index in a JSON list.'),
          device_id: deviceIdSchema,
          members: z.array(z.string()).describe('Members whose values differ between the row and the device.'),
        }),
      )
      .describe(
        'Rows that matched an existing device with other settings. Change these devices with `PATCH /v1/devices/{device_id}`.',
      ),
    credentials: z
      .enum(['waiting', 'gone'])
      .describe(
        '`waiting`: the passwords can be fetched, once, within a day. `gone`: the passwords were fetched, have expired, or never existed.',
      ),
  })
  .meta({ id: 'DeviceImport' });

export const importCredentialsSchema = z
  .strictObject({
    import_id: z.string().describe('Id of the import.'),
    credentials: z
      .array(
        z.strictObject({
          row: z
            .string()
            .describe('Position of the row: `line 3` in a CSV file, or a zero-based index in a JSON list.'),
          external_id: z.string().nullable().describe('Your own name of the device. Null: none.'),
          device_id: deviceIdSchema,
          username: z.string().describe('MQTT user name.'),
          password: z.string().describe('MQTT password. It is not shown again.'),
          topic: z.string().describe('Topic to which the device publishes its readings.'),
        }),
      )
      .describe('MQTT credentials of the new devices.'),
  })
  .meta({ id: 'ImportCredentials' });

/** Converts a valid row of a table to the form that the import needs. */
export function createDeviceImportRow(name: string, value: z.output<typeof importedDeviceSchema>): DeviceImportRow {
  const { user_id: userId, email: address, discovery_id: discoveryId, channels, type, location, ...settings } = value;
  return {
    name,
    settings: { type, location, ...omitUndefined(settings) },
    ...omitUndefined({ userId, email: address, discoveryId, channels }),
  };
}

export const importToResponse = (row: ImportRecord): z.output<typeof importResponseSchema> => ({
  import_id: row.import_id,
  state: 'completed',
  created_at: row.created_at.toISOString(),
  rows: row.rows,
  created: row.created,
  existing: row.rows - row.created,
  users_created: row.users_created,
  differing: row.differing as z.output<typeof importResponseSchema>['differing'],
  credentials: row.has_credentials ? 'waiting' : 'gone',
});

const import_id = 'imp_01k8xqf4a2s6d8g1kx7bn9v3mz';
const answer = {
  import_id,
  state: 'completed',
  created_at,
  rows: 2,
  created: 1,
  existing: 1,
  users_created: 1,
  differing: [{ row: 'line 3', device_id, members: ['location'] }],
  credentials: 'waiting',
};

export const IMPORT_EXAMPLES = {
  createImport: {
    body: [
      { email: 'anna@example.com', type: 'electricity_meter', location: 'cellar', external_id: '1ESM-0042' },
      { email: 'ben@example.com', type: 'electricity_meter', location: 'hall', register_max_kwh: 999_999.999 },
    ],
    csvBody:
      'email,type,location,external_id,register_max_kwh\nanna@example.com,electricity_meter,cellar,1ESM-0042,\nben@example.com,electricity_meter,hall,1ESM-0043,999999.999\n',
    answer,
  },
  getImport: { answer: { ...answer, credentials: 'gone' } },
  fetchImportCredentials: {
    answer: {
      import_id,
      credentials: [
        {
          row: 'line 2',
          external_id: '1ESM-0042',
          device_id,
          username: device_id,
          password: '(shown once)',
          topic: getReadingsTopic(device_id),
        },
      ],
    },
  },
} satisfies Examples;
