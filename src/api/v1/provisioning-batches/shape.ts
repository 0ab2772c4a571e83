import { z } from 'zod';
import { createBoundedArraySchema, idField, textField } from '#src/api/fields.ts';
import { createdAtSchema, instantSchema, pickMembers, userIdSchema } from '#src/api/shapes.ts';
import type { StoredProvisioningBatch } from '#src/onboarding/batches.ts';
import { METER_CLAIM_REPLY_TOPIC, METER_CLAIM_TOPIC } from '#src/onboarding/claims.ts';
import { created_at, type Examples, user_id } from '../example-ids.ts';

const MEANING = {
  name: 'Name of the batch, chosen by its owner.',
  owner:
    'Id of the user for whom a device is created if a meter’s serial is not yet the `external_id` of a device. Null: such a meter is rejected.',
  type: 'Type of the created devices.',
  location: 'Location of the created devices.',
  serials: 'Serials that may claim. Null: all serials.',
  max_devices: 'Maximum number of meters that may claim a device.',
  expires_at: 'Time after which meters can no longer claim.',
};
/** Maximum validity of a provisioning batch in days (five years), because devices may wait in warehouses. */
const MAX_DAYS = 1_826;

const serial = z.string().regex(/^[\x20-\x7e]{1,200}$/, 'must be 1 to 200 printable ASCII characters');

export const newBatchSchema = z.strictObject({
  name: textField(100).describe(MEANING.name),
  owner_user_id: idField.optional().describe(`${MEANING.owner} Default: null.`),
  type: textField(64).default('smart_meter').describe(MEANING.type),
  location: textField(200).default('home').describe(MEANING.location),
  serials: createBoundedArraySchema(serial, 1, 100_000).optional().describe(`${MEANING.serials} Default: null.`),
  max_devices: z.number().int().min(1).max(1_000_000).describe(MEANING.max_devices),
  valid_days: z.number().int().min(1).max(MAX_DAYS).default(365).describe('Time for which meters may claim, in days.'),
});

export const batchSchema = z
  .strictObject({
    batch_id: z.string().describe('Id of the batch.'),
    user_id: userIdSchema,
    owner_user_id: z.string().nullable().describe(MEANING.owner),
    name: z.string().describe(MEANING.name),
    type: z.string().describe(MEANING.type),
    location: z.string().describe(MEANING.location),
    serial_count: z.number().int().nullable().describe('Number of serials that may claim. Null: all serials.'),
    max_devices: z.number().int().describe(MEANING.max_devices),
    claimed: z.number().int().describe('Number of meters that have claimed a device.'),
    expires_at: instantSchema.describe(MEANING.expires_at),
    revoked_at: instantSchema.nullable().describe('Time of revocation. Null: not revoked.'),
    created_at: createdAtSchema,
  })
  .meta({ id: 'ProvisioningBatch' });

/** A new provisioning batch. Only this response contains the secret. */
export const createdBatchSchema = batchSchema
  .extend({
    mqtt: z
      .strictObject({
        username: z.string().describe('MQTT user name of all meters of the batch, until each has its own.'),
        password: z.string().describe('MQTT password of the batch. It is not shown again.'),
        claim_topic: z.string().describe('Topic to which a meter publishes its claim.'),
        reply_topic: z.string().describe('Topic on which the meter receives the response, on its own connection only.'),
      })
      .describe('Credentials and topics that meters of the batch get in the factory.'),
  })
  .meta({ id: 'CreatedProvisioningBatch' });

/** Converts a stored provisioning batch to its form in responses, without its secret. */
export const provisioningBatchToResponse = (row: StoredProvisioningBatch): z.output<typeof batchSchema> =>
  pickMembers(batchSchema, row);

const exampleBatch = {
  batch_id: 'prb_01k8xqfw5c9e3h7j2ky6p8r4tn',
  user_id,
  owner_user_id: null,
  name: 'Lot 17',
  type: 'smart_meter',
  location: 'home',
  serial_count: 2,
  max_devices: 2,
  claimed: 0,
  expires_at: '2027-06-01T09:30:00.000Z',
  revoked_at: null,
  created_at,
};

export const PROVISIONING_EXAMPLES = {
  createProvisioningBatch: {
    body: { name: 'Lot 17', serials: ['1ESM-0042', '1ESM-0043'], max_devices: 2 },
    answer: {
      ...exampleBatch,
      mqtt: {
        username: exampleBatch.batch_id,
        password: '(shown once)',
        claim_topic: METER_CLAIM_TOPIC,
        reply_topic: METER_CLAIM_REPLY_TOPIC,
      },
    },
  },
  listProvisioningBatches: { answer: [{ ...exampleBatch, claimed: 1 }] },
  revokeProvisioningBatch: {
    answer: { message: `Batch ${exampleBatch.batch_id} was revoked; its claimed devices keep working` },
  },
} satisfies Examples;
