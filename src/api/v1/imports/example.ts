import { readingsTopic } from '#src/devices/topics.ts';
import { created_at, device_id, type Examples } from '../example-ids.ts';

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
          topic: readingsTopic(device_id),
        },
      ],
    },
  },
} satisfies Examples;
