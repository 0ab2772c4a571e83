import type { z } from 'zod';
import { defineOperation, type OperationCall } from '#src/api/operation.ts';
import { checkDeviceIdentityAllowed, getAccessibleAccounts, getActor } from '#src/auth/access.ts';
import { AppError, requireFound } from '#src/core/errors.ts';
import { type DeviceImporter, importDevices } from '#src/onboarding/import.ts';
import { consumeImportCredentials, findImport, recordImport } from '#src/onboarding/imports.ts';
import { IMPORT_COLUMNS, parseDeviceTable } from './rows.ts';
import * as shapes from './shape.ts';

export const createImport = defineOperation('POST /v1/imports', {
  summary:
    'Pairs up to 20,000 devices at once, as JSON or CSV of up to 8 MiB: all of them or none. Errors are listed by row. Repeating an import changes nothing: a row matches its owner’s device with the same `external_id`, or, without an `external_id`, with the same `type` and `location`.',
  audit: { action: 'devices.imported', target: 'import_id' },
  scope: 'devices:write',
  answer: shapes.importResponseSchema,
  query: shapes.importQuerySchema,
  body: shapes.newImportSchema,
  bodyLimitBytes: 8 * 1_048_576,
  csvBody: {
    described: `The same rows as CSV. The first line names the columns, of ${IMPORT_COLUMNS.join(', ')}; cells of \`channels\` and \`decoder_config\` contain JSON. An empty cell means that the member is not given.`,
    read: (text) => parseDeviceTable(text, shapes.MAX_IMPORTED_DEVICES),
  },
  async handle({ context: { box }, db, caller, reach, address, query, body, rowName }) {
    const importer = getDeviceImporter({ caller, address, query }, body);
    const imported = await importDevices(
      db,
      caller.role === 'homeowner' || !caller.scopes.has('users:write')
        ? importer
        : { ...importer, toMakeOwners: 'create_users=true' },
      body.map((row, index) => shapes.createDeviceImportRow(rowName(index), row)),
    );
    const importId = await recordImport(db, box, { userId: caller.userId, rows: body.length, imported });
    return shapes.importToResponse(requireFound(await findImport(db, reach, importId)));
  },
});

export const getImport = defineOperation('GET /v1/imports/{import_id}', {
  summary: 'Returns the result of an import of devices.',
  scope: 'devices:read',
  answer: shapes.importResponseSchema,
  async handle({ db, reach, params }) {
    return shapes.importToResponse(requireFound(await findImport(db, reach, params.import_id)));
  },
});

export const fetchImportCredentials = defineOperation('POST /v1/imports/{import_id}/credentials', {
  summary:
    'Returns the MQTT passwords of the devices that an import created: once, within a day. With an Idempotency-Key, a lost response can be fetched again.',
  status: 200,
  audit: { action: 'import.credentials_fetched', target: 'import_id' },
  scope: 'devices:write',
  answer: shapes.importCredentialsSchema,
  async handle({ context: { box }, db, reach, params }) {
    const importId = params.import_id;
    return {
      import_id: importId,
      credentials: requireFound(await consumeImportCredentials(db, box, reach, importId)),
    };
  },
});

/** Returns who imports devices, and for which accounts. Throws `forbidden` if the caller may not import these devices. */
export function getDeviceImporter(
  {
    caller,
    address,
    query,
  }: Pick<OperationCall<unknown, z.output<typeof shapes.importQuerySchema>, unknown>, 'caller' | 'address' | 'query'>,
  devices: readonly z.output<typeof shapes.importedDeviceSchema>[],
): DeviceImporter {
  const { userId, role } = caller;
  const isForOthers = devices.some(({ user_id }) => user_id !== undefined && user_id !== userId);
  if (role === 'homeowner' && (isForOthers || query.create_users)) throw new AppError('forbidden');
  if (query.create_users && !caller.scopes.has('users:write')) throw new AppError('forbidden');
  checkDeviceIdentityAllowed(caller, devices);
  return {
    reach: getAccessibleAccounts(caller),
    ownId: userId,
    newOwners: query.create_users ? { enrolledBy: role === 'utility' ? userId : null } : null,
    by: { actor: getActor(caller), address },
  };
}
