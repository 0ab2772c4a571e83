import { z } from 'zod';
import { id } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import { holdable, reachOf } from '#src/auth/access.ts';
import { orNotFound } from '#src/core/errors.ts';
import { findImport } from '#src/onboarding/imports.ts';
import { importAnswer, toWire } from './shape.ts';

export const getImport = operation({
  summary: 'Shows what came of an import of devices.',
  method: 'GET',
  path: '/v1/imports/{import_id}',
  scope: 'devices:read',
  answer: importAnswer,
  params: z.object({ import_id: id }),
  async handle({ context, caller, params }) {
    return toWire(orNotFound(await findImport(context.db, reachOf(caller), holdable(params.import_id))));
  },
});
