import { operation } from '#src/api/operation.ts';
import { reachOf } from '#src/auth/access.ts';
import { orNotFound } from '#src/core/errors.ts';
import { importDevices } from '#src/onboarding/import.ts';
import { findImport, recordImport } from '#src/onboarding/imports.ts';
import { importerOf } from './importer.ts';
import { importAnswer, importQuery, MAX_IMPORTED, newImport, rowOf, toWire } from './shape.ts';
import { IMPORT_COLUMNS, readDevices } from './table.ts';

export const createImport = operation({
  summary:
    'Pairs up to 20,000 devices at once, as JSON or CSV of up to 8 MiB: all of them or, with the mistakes named row by row, none. The same again changes nothing: a row is the device of its owner with the same `external_id`, or without one of the same `type` and `location`.',
  method: 'POST',
  path: '/v1/imports',
  audit: { action: 'devices.imported', target: 'import_id' },
  scope: 'devices:write',
  answer: importAnswer,
  query: importQuery,
  body: newImport,
  bodyLimitBytes: 8 * 1_048_576,
  csvBody: {
    described: `The same rows as CSV. The first line names the columns, of ${IMPORT_COLUMNS.join(', ')}; \`channels\` and \`decoder_config\` are JSON in a cell. An empty cell is a member that is not given.`,
    read: (text) => readDevices(text, MAX_IMPORTED),
  },
  async handle({ context: { db, box }, caller, address, query, body, rowName }) {
    const importer = importerOf({ caller, address, query }, body);
    const imported = await importDevices(
      db,
      caller.role === 'homeowner' || !caller.scopes.has('users:write')
        ? importer
        : { ...importer, toMakeOwners: 'create_users=true' },
      body.map((row, index) => rowOf(rowName(index), row)),
    );
    const importId = await recordImport(db, box, { userId: caller.userId, rows: body.length, imported });
    return toWire(orNotFound(await findImport(db, reachOf(caller), importId)));
  },
});
