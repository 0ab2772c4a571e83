import { z } from 'zod';
import { id } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import { holdable, reachOf } from '#src/auth/access.ts';
import { orNotFound } from '#src/core/errors.ts';
import { takeCredentials } from '#src/onboarding/imports.ts';
import { importCredentials } from './shape.ts';

export const fetchImportCredentials = operation({
  summary:
    'Fetches the MQTT passwords of the devices that an import made: once, within a day. With an Idempotency-Key an answer that was lost can be had again.',
  method: 'POST',
  path: '/v1/imports/{import_id}/credentials',
  status: 200,
  audit: { action: 'import.credentials_fetched', target: 'import_id' },
  scope: 'devices:write',
  answer: importCredentials,
  params: z.object({ import_id: id }),
  async handle({ context: { db, box }, caller, params }) {
    const importId = holdable(params.import_id);
    return {
      import_id: importId,
      credentials: orNotFound(await takeCredentials(db, box, reachOf(caller), importId)),
    };
  },
});
