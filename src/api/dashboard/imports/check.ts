import { z } from 'zod';
import { importCheck } from '#src/api/dashboard/shapes.ts';
import { listOf } from '#src/api/fields.ts';
import { defineOperation } from '#src/api/operation.ts';
import { createImport, importerOf } from '#src/api/v1/imports/operations.ts';
import { checkRows } from '#src/api/v1/imports/rows.ts';
import { importQuery, MAX_IMPORTED } from '#src/api/v1/imports/shape.ts';
import { omitUndefined } from '#src/core/omit-undefined.ts';
import { previewImport } from '#src/onboarding/import.ts';
import { rowsWithDifferentSettings } from '#src/onboarding/imports.ts';

const { csvBody, bodyLimitBytes } = createImport;

export const checkImport = defineOperation({
  summary: 'Says what an import of a table of devices would do, and every mistake by its line; imports nothing.',
  method: 'POST',
  changes: 'nothing',
  path: '/v1/import-check',
  scope: 'devices:write',
  answer: importCheck,
  status: 200,
  query: importQuery,
  // Invalid rows are reported together with the others', instead of refusing the request at the first check.
  body: listOf(z.record(z.string(), z.unknown()), 1, MAX_IMPORTED),
  ...omitUndefined({ csvBody, bodyLimitBytes }),
  async handle({ context: { db }, caller, address, query, body, rowName }) {
    const checked = await checkRows(body, rowName);
    const importer = importerOf({ caller, address, query }, checked.devices);
    const { plan, newUsers } = await previewImport(db, importer, checked.rows);
    return {
      rows: body.length,
      created: plan.create.length,
      existing: plan.existing.length,
      users_created: newUsers,
      differing: rowsWithDifferentSettings(plan),
      mistakes: [...checked.mistakes, ...plan.mistakes],
    };
  },
});
