import { defineOperation } from '#src/api/operation.ts';
import { createUnprocessableError } from '#src/core/errors.ts';
import { loadWhatIfResult } from '#src/cost/home-what-if.ts';
import { prepareLongCalculation } from '../calculation.ts';
import {
  convertToHypotheticalHomeChange,
  whatIfRequestSchema,
  whatIfResponseSchema,
  whatIfToResponse,
} from './shape.ts';

export const whatIf = defineOperation('POST /v1/what-if', {
  summary:
    'Computes the energy and cost of a range with a battery, or with more or fewer panels. Stores nothing. Counts as 10 requests; only one runs at a time for each account.',
  changes: 'nothing',
  countsAs: 10,
  readsFromStandby: true,
  scope: ['insights:read', 'tariffs:read'],
  answer: whatIfResponseSchema,
  status: 200,
  body: whatIfRequestSchema,
  exactNumbers: true,
  async handle({ context, caller, body: { user_id, start, end, ...members } }) {
    const asked = await prepareLongCalculation(context, caller, { user_id, start, end });
    const change = convertToHypotheticalHomeChange(members);
    const result = await asked.run((calculator, signal) =>
      loadWhatIfResult(context.readDb, calculator, { ...asked, change }, signal),
    );
    if (result?.canAlter) return whatIfToResponse(result);
    const message = 'would change nothing: the range has no known export to store and no known production to scale';
    throw createUnprocessableError({ field: members.battery ? 'battery' : 'production_scale', message });
  },
});
