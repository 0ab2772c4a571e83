import { z } from 'zod';
import type { ApiContext } from '#src/api/context.ts';
import { paginationFields, textField } from '#src/api/fields.ts';
import { defineOperation } from '#src/api/operation.ts';
import { createdAtSchema, deviceIdSchema, instantSchema } from '#src/api/shapes.ts';
import type { Caller } from '#src/auth/authenticate.ts';
import { createUnprocessableError, requireFound } from '#src/core/errors.ts';
import { castToMilliwattHours, kwhToMilliwattHours, milliwattHoursToKwh } from '#src/core/units.ts';
import { getRetentionStartMs } from '#src/database/migrate.ts';
import { CLOCK_STEP_AUTHOR } from '#src/devices/edits/edit.ts';
import * as editStore from '#src/devices/edits/store.ts';
import { findDevice } from '#src/devices/store.ts';

/** Maximum register reading that an edit can add, in kWh. */
const MAX_KWH = 1_000_000_000;

/** Descriptions of members that occur in requests and in responses. */
const MEANING = {
  action:
    '`exclude`: excludes all readings of a time range, also those that arrive later. `add`: adds a register reading by a person. It counts like any late reading, and replaces a reading that the device sent for the same instant.',
  native_name: 'The device’s own name of the quantity, as in `channels`.',
  start:
    'With `exclude`: start of the excluded range, inclusive. A reading is excluded if its time is in the range; an interval, if its end is in the range.',
  end: 'With `exclude`: end of the excluded range, exclusive.',
  at: 'With `add`: time of the reading.',
  kwh: 'With `add`: value of the register, in kWh (in m³ if it counts a volume).',
  reason: 'Reason for the edit, in the author’s words.',
};
const action = z.enum(['exclude', 'add']).describe(MEANING.action);

const newEdit = z
  .strictObject({
    action,
    native_name: textField(300)
      .optional()
      .describe(
        `${MEANING.native_name} Required with \`add\`. Default with \`exclude\`: every quantity of the device.`,
      ),
    start: instantSchema.optional().describe(MEANING.start),
    end: instantSchema.optional().describe(MEANING.end),
    at: instantSchema.optional().describe(MEANING.at),
    kwh: z.number().min(0).max(MAX_KWH).optional().describe(MEANING.kwh),
    reason: textField(500).describe(MEANING.reason),
  })
  .superRefine((edit, context) => {
    const [needed, others] =
      edit.action === 'add'
        ? ([
            ['native_name', 'at', 'kwh'],
            ['start', 'end'],
          ] as const)
        : ([
            ['start', 'end'],
            ['at', 'kwh'],
          ] as const);
    const wrong = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
    for (const name of needed) if (edit[name] === undefined) wrong(name, `is required to ${edit.action}`);
    for (const name of others) if (edit[name] !== undefined) wrong(name, `cannot be used to ${edit.action}`);
    if (edit.start !== undefined && edit.end !== undefined && Date.parse(edit.end) <= Date.parse(edit.start))
      wrong('end', 'must lie after start');
  });

const edit = z
  .strictObject({
    edit_id: z.string().describe('Id of the edit.'),
    device_id: deviceIdSchema,
    action,
    native_name: z.string().nullable().describe(`${MEANING.native_name} Null: every quantity of the device.`),
    start: instantSchema.nullable().describe(MEANING.start),
    end: instantSchema.nullable().describe(MEANING.end),
    at: instantSchema.nullable().describe(MEANING.at),
    kwh: z.number().nullable().describe(MEANING.kwh),
    reason: z.string().describe(MEANING.reason),
    status: z
      .enum(['in_force', 'revoked'])
      .describe('A `revoked` edit no longer has an effect, but stays in the list.'),
    is_computed: z
      .boolean()
      .describe(
        'Whether consumption has been recomputed with the edit: within seconds, or within minutes for months of frequent readings.',
      ),
    author: z
      .string()
      .nullable()
      .describe(
        'Id of the user who made the edit. `clock`: the service made it, because a host’s clock was set back and readings received without a time would have counted twice; a register continues from its first reading in that time. Null: the account was deleted.',
      ),
    created_at: createdAtSchema,
    revoked_by: z
      .string()
      .nullable()
      .describe('Id of the user who revoked the edit. Null: the edit is in force, or the account was deleted.'),
    revoked_at: instantSchema.nullable().describe('Time of revocation. Null: the edit is in force.'),
  })
  .meta({ id: 'ReadingEdit' });

/** Converts a requested edit to the form in which it is stored. */
function toRow({ native_name, start, end, at, kwh, reason }: z.output<typeof newEdit>): editStore.NewEdit {
  const from = new Date((start ?? at) as string);
  const to = end === undefined ? new Date(from.getTime() + 1) : new Date(end);
  return {
    nativeName: native_name ?? null,
    from,
    to,
    value: kwh === undefined ? null : kwhToMilliwattHours(kwh),
    reason,
  };
}

function toResponse(row: editStore.EditRow): z.output<typeof edit> {
  const { edit_id, device_id, native_name, from_at, to_at, value, reason, author, created_at, revoker, revoked_at } =
    row;
  // An edit that the service made because a clock was set back adds no reading. Its value is only the register's reading from which
  // counting begins again.
  const isAdded = value !== null && author !== CLOCK_STEP_AUTHOR;
  return {
    edit_id,
    device_id,
    action: isAdded ? 'add' : 'exclude',
    native_name,
    start: isAdded ? null : from_at.toISOString(),
    end: isAdded ? null : to_at.toISOString(),
    at: isAdded ? from_at.toISOString() : null,
    kwh: isAdded ? milliwattHoursToKwh(castToMilliwattHours(value)) : null,
    reason,
    status: revoked_at ? 'revoked' : 'in_force',
    is_computed: row.is_counted === (revoked_at === null) && row.counted_to === null,
    author,
    created_at: created_at.toISOString(),
    revoked_by: revoker,
    revoked_at: revoked_at?.toISOString() ?? null,
  };
}

export const createDeviceEdit = defineOperation('POST /v1/devices/{device_id}/edits', {
  summary:
    'Edits readings of a device by hand, with a reason: excludes the readings of a time range, or adds a register reading by a person. Past consumption is recomputed within seconds; the readings that the device sent stay stored.',
  audit: { action: 'device.edited', target: 'device_id' },
  scope: 'devices:write',
  answer: edit,
  body: newEdit,
  async handle({ context, db, caller, reach, params, body }) {
    const wanted = toRow(body);
    const editing = getEditAuthorAndTime(context, caller);
    const isAdded = wanted.value !== null;
    if ((isAdded ? wanted.from : wanted.to) > editing.now)
      throw createUnprocessableError({ field: isAdded ? 'at' : 'end', message: 'must not lie in the future' });
    const row = await editStore.createEdit(db, reach, params.device_id, wanted, editing);
    return toResponse(requireFound(row));
  },
});

export const listDeviceEdits = defineOperation('GET /v1/devices/{device_id}/edits', {
  summary: 'Lists the edits of a device’s readings, including revoked ones, with author and reason, page by page.',
  scope: 'devices:read',
  answer: z.array(edit),
  query: z.object(paginationFields),
  async handle({ db, reach, params, page }) {
    const { device_id } = requireFound(await findDevice(db, reach, params.device_id));
    const rows = await page('edit_id', (at) => editStore.listEdits(db, reach, device_id, at));
    return rows.map(toResponse);
  },
});

export const revokeDeviceEdit = defineOperation('DELETE /v1/devices/{device_id}/edits/{edit_id}', {
  summary:
    'Revokes an edit of readings. Within seconds, consumption is computed without it; the edit stays in the list. Revoking it again changes nothing.',
  audit: { action: 'device.edit_revoked', target: 'device_id', of: 'edit_id' },
  scope: 'devices:write',
  answer: edit,
  async handle({ context, db, caller, reach, params }) {
    const editing = getEditAuthorAndTime(context, caller);
    return toResponse(requireFound(await editStore.revokeEdit(db, reach, params.device_id, params.edit_id, editing)));
  },
});

/** Returns the author and the time of an edit, and the time since which readings are stored. */
export function getEditAuthorAndTime(
  { clock, retentionMonths }: ApiContext,
  { accountId }: Caller,
): editStore.EditAuthorAndTime {
  const now = clock();
  return { author: accountId, now, oldest: new Date(getRetentionStartMs(now.getTime(), retentionMonths)) };
}
