import { CLAIM_REPLY_TOPIC, CLAIM_TOPIC } from '#src/onboarding/claim-message.ts';
import { created_at, type Examples, user_id } from '../example-ids.ts';

const batch = {
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
      ...batch,
      mqtt: {
        username: batch.batch_id,
        password: '(shown once)',
        claim_topic: CLAIM_TOPIC,
        reply_topic: CLAIM_REPLY_TOPIC,
      },
    },
  },
  listProvisioningBatches: { answer: [{ ...batch, claimed: 1 }] },
  revokeProvisioningBatch: {
    answer: { message: `Batch ${batch.batch_id} was revoked; what was claimed with it goes on` },
  },
} satisfies Examples;
