import { z } from 'zod';
import { dateField, idField, userIdField } from '#src/api/fields.ts';
import { createdAtSchema, instantSchema, pickMembers, userIdSchema } from '#src/api/shapes.ts';
import type { BillDetails, BillPeriod, BillVersion } from '#src/billing/store.ts';
import { castToMilliwattHours, formatExactKwh, type MilliwattHours } from '#src/core/units.ts';
import { ACCOUNT_ROLES } from '#src/database/enums.ts';

/** Descriptions of members that occur in requests and in responses. */
const MEANING = {
  bill_period_id: 'Id of the bill period.',
  device_id: 'Id of the device, if it is billed separately. Null: the home is billed, at its grid connection.',
  start: 'First day of the period, in the time zone of the account.',
  end: 'Last day of the period, inclusive.',
  sha256: 'SHA-256 of the statement without this member, in the canonical form of RFC 8785; hexadecimal.',
};
const kwh = (meaning: string) => z.string().describe(`${meaning} In kWh with six decimals, as text.`);
const count = z.number().int().nonnegative();

export const newBillPeriodSchema = z
  .strictObject({
    user_id: userIdField.optional(),
    device_id: idField.optional().describe('Id of a device to bill separately. Default: the home of the user.'),
    start: dateField.describe(MEANING.start),
    end: dateField.describe(MEANING.end),
  })
  .refine(({ user_id, device_id }) => user_id === undefined || device_id === undefined, {
    path: ['device_id'],
    message: 'must not be given with user_id: the owner of the device is known',
  });

const reading = z
  .strictObject({
    kwh: kwh('Value of the register.'),
    at: instantSchema.describe('Time of the reading.'),
    is: z
      .enum(['measured', 'by_hand', 'interpolated', 'last'])
      .describe(
        '`measured`: sent by the device at that time. `by_hand`: read by a person at that time. `interpolated`: linear between the previous and the next reading. `last`: the previous reading, because no reading follows or the register was reset, rolled over or replaced.',
      ),
  })
  .meta({ id: 'RegisterReading' });
const energy = {
  import_kwh: kwh('Energy imported in the period.'),
  export_kwh: kwh('Energy exported in the period.'),
  estimated_kwh: kwh('Part of `import_kwh` that was distributed over silences of more than an hour.'),
  intervals: count.describe('Number of quarter-hours in the period.'),
  intervals_known: count.describe('Number of quarter-hours whose import is known, at least in part.'),
  intervals_estimated: count.describe('Number of quarter-hours whose import is estimated, at least in part.'),
  registers: z
    .array(
      z.strictObject({
        device_id: z.string().describe('Id of the device.'),
        channel: z.string().describe('Channel of the register, such as `import/t1`.'),
        native_name: z.string().describe('The device’s own name of the register.'),
        direction: z.enum(['import', 'export']).describe('Direction in which the register is counted.'),
        at_start: reading.nullable().describe('Reading at the start of the period. Null: unknown.'),
        at_end: reading.nullable().describe('Reading at the end of the period. Null: unknown.'),
        energy_kwh: z
          .string()
          .nullable()
          .describe(
            'Energy that the register counted in the period, in kWh with six decimals, as text. After a reset, a rollover or a replacement of the meter it is not the difference of the two readings. Null: no longer known.',
          ),
      }),
    )
    .describe('Counted registers with their readings.'),
  import_beside_registers_kwh: kwh('Part of `import_kwh` that no register shows.'),
  export_beside_registers_kwh: kwh('Part of `export_kwh` that no register shows.'),
  edits: z
    .array(
      z
        .strictObject({
          edit_id: z.string().describe('Id of the edit.'),
          device_id: z.string().describe('Id of the edited device.'),
          action: z
            .enum(['exclude', 'add'])
            .describe('`exclude`: readings are excluded. `add`: a reading by a person was added.'),
          native_name: z
            .string()
            .nullable()
            .describe('The device’s own name of the quantity. Null: every quantity of the device.'),
          start: instantSchema.describe('Start of the excluded range; for `add`, the time of the reading.'),
          end: instantSchema.nullable().describe('End of the excluded range, exclusive. Null: the action is `add`.'),
          kwh: z
            .string()
            .nullable()
            .describe('Value of the register, in kWh with six decimals, as text. Null: the action is `exclude`.'),
          reason: z.string().describe('Reason, in the author’s words.'),
          author: z
            .enum(ACCOUNT_ROLES)
            .nullable()
            .describe(
              'Role of the author; `GET /v1/devices/{device_id}/edits` has the id. Null: the account was deleted.',
            ),
        })
        .meta({ id: 'BillEdit' }),
    )
    .optional()
    .describe(
      'Edits in force that affect the period, up to 1,000. Absent in versions that were recorded before versions contained edits.',
    ),
};
const adjustment = z
  .strictObject({
    bill_period_id: z.string().describe('Id of the closed period that was corrected.'),
    start: z.iso.date().describe('First day of the corrected period.'),
    end: z.iso.date().describe('Last day of the corrected period.'),
    import_kwh: kwh('Change of the import of the corrected period.'),
    export_kwh: kwh('Change of the export of the corrected period.'),
  })
  .meta({ id: 'BillAdjustment' });

const period = {
  bill_period_id: z.string().describe(MEANING.bill_period_id),
  user_id: userIdSchema,
  device_id: z.string().nullable().describe(MEANING.device_id),
  start: z.iso.date().describe(MEANING.start),
  end: z.iso.date().describe(MEANING.end),
  timezone: z.string().describe('IANA time zone of the days: the account’s time zone when the period was created.'),
};
const cause = z
  .enum(['first', 'again', 'closing'])
  .describe(
    'Reason for the version: `first`, `again` (recorded again while the period was open), or `closing` (recorded when the period was closed).',
  );
export const statementSchema = z
  .strictObject({
    ...period,
    version: count.describe('Number of the version, starting at 1.'),
    cause,
    starts_at: instantSchema.describe('Start of the first day.'),
    ends_at: instantSchema.describe('End of the last day.'),
    recorded_at: instantSchema.describe('Time at which this version was recorded.'),
    ...energy,
    adjustments: z.array(adjustment).describe('Corrections of closed periods that are billed with this period.'),
    billed_import_kwh: kwh('Sum of `import_kwh` and the adjustments.'),
    billed_export_kwh: kwh('Sum of `export_kwh` and the adjustments.'),
    previous_sha256: z
      .string()
      .nullable()
      .describe('`sha256` of the previous version. Null: this is the first version.'),
    sha256: z.string().describe(MEANING.sha256),
  })
  .meta({ id: 'BillStatement' });
const status = z
  .enum(['open', 'closed'])
  .describe('`open` or `closed`. The next open period bills later changes of a closed period.');

/** An item in a list of bill periods, with the values of the period's latest bill statement. */
export const billPeriodSchema = z
  .strictObject({
    ...period,
    status,
    created_at: createdAtSchema,
    closed_at: instantSchema.nullable().describe('Time at which the period was closed. Null: the period is open.'),
    version: count.describe('Number of the latest version.'),
    recorded_at: instantSchema.describe('Time at which the latest version was recorded.'),
    import_kwh: energy.import_kwh,
    export_kwh: energy.export_kwh,
    estimated_kwh: energy.estimated_kwh,
    billed_import_kwh: kwh('Sum of `import_kwh` and the adjustments for other periods.'),
    billed_export_kwh: kwh('Sum of `export_kwh` and the adjustments for other periods.'),
    sha256: z.string().describe(MEANING.sha256),
  })
  .meta({ id: 'BillPeriod' });

export const billDetailsSchema = z
  .strictObject({
    ...period,
    status,
    created_at: createdAtSchema,
    closed_at: instantSchema.nullable().describe('Time at which the period was closed. Null: the period is open.'),
    first_told: statementSchema.describe('The first version.'),
    last_told: statementSchema.describe('The latest version.'),
    known_now: z.strictObject(energy).meta({ id: 'BillEnergy' }).describe('Current values of the period.'),
    difference: z
      .strictObject({
        import_kwh: kwh('Difference of the import.'),
        export_kwh: kwh('Difference of the export.'),
        estimated_kwh: kwh('Difference of the estimated part.'),
      })
      .describe('Current values minus the values of the first version.'),
    versions: z
      .array(
        z.strictObject({
          version: count.describe('Number of the version.'),
          cause,
          recorded_at: instantSchema.describe('Time at which this version was recorded.'),
          import_kwh: energy.import_kwh,
          export_kwh: energy.export_kwh,
          estimated_kwh: energy.estimated_kwh,
          import_change_kwh: kwh(
            'Change of the import from the previous version; in the first version, the whole import.',
          ),
          export_change_kwh: kwh(
            'Change of the export from the previous version; in the first version, the whole export.',
          ),
          sha256: z.string().describe(MEANING.sha256),
        }),
      )
      .describe('All versions of the period, oldest first. Their changes add up to the latest version.'),
    adjustments: z
      .array(adjustment)
      .describe(
        'Corrections of closed periods that were billed with this period. While the period is open: corrections that will be billed with it.',
      ),
    corrections: z
      .array(
        z.strictObject({
          told_in: z
            .string()
            .nullable()
            .describe('Id of the period that bills the correction. Null: no later open period exists.'),
          status: z
            .enum(['told', 'waiting'])
            .describe('`told`: the billing period was closed with the correction. `waiting`: it was not closed yet.'),
          import_kwh: kwh('Change of the import.'),
          export_kwh: kwh('Change of the export.'),
        }),
      )
      .describe(
        'Changes of this period after it was closed. The values at closing plus these changes equal `known_now`.',
      ),
  })
  .meta({ id: 'BillPeriodDetails' });

const periodOf = (one: BillPeriod) => ({
  ...pickMembers(billPeriodSchema, one),
  status: one.closed_at ? ('closed' as const) : ('open' as const),
});
const difference = (a: MilliwattHours, b: MilliwattHours) => formatExactKwh(castToMilliwattHours(a - b));

/** Converts a bill statement to its form in responses, with its checksum. */
const statementToResponse = ({ statement: stated, sha256 }: BillVersion): z.output<typeof statementSchema> => ({
  ...stated,
  sha256,
});

export const billPeriodToResponse = (
  one: BillPeriod,
  { statement: told, sha256 }: BillVersion,
): z.output<typeof billPeriodSchema> => ({
  ...periodOf(one),
  version: told.version,
  recorded_at: told.recorded_at,
  import_kwh: told.import_kwh,
  export_kwh: told.export_kwh,
  estimated_kwh: told.estimated_kwh,
  billed_import_kwh: told.billed_import_kwh,
  billed_export_kwh: told.billed_export_kwh,
  sha256,
});

/** Converts a bill period with all its bill statements (at least one) to its form in responses. */
export function billDetailsToResponse({
  period: one,
  versions,
  known,
  energy: now,
  adjustments,
  corrections,
}: BillDetails): z.output<typeof billDetailsSchema> {
  const [first, last] = [versions[0], versions.at(-1)] as [BillVersion, BillVersion];
  return {
    ...periodOf(one),
    first_told: statementToResponse(first),
    last_told: statementToResponse(last),
    known_now: now,
    difference: {
      import_kwh: difference(known.imported, first.imported),
      export_kwh: difference(known.exported, first.exported),
      estimated_kwh: difference(known.estimated, first.estimated),
    },
    versions: versions.map(({ statement: told, sha256, imported, exported }, index) => ({
      version: told.version,
      cause: told.cause,
      recorded_at: told.recorded_at,
      import_kwh: told.import_kwh,
      export_kwh: told.export_kwh,
      estimated_kwh: told.estimated_kwh,
      import_change_kwh: difference(imported, versions[index - 1]?.imported ?? castToMilliwattHours(0)),
      export_change_kwh: difference(exported, versions[index - 1]?.exported ?? castToMilliwattHours(0)),
      sha256,
    })),
    adjustments,
    corrections: corrections.map(({ billedIn, isBilled, imported, exported }) => ({
      told_in: billedIn,
      status: isBilled ? 'told' : 'waiting',
      import_kwh: formatExactKwh(imported),
      export_kwh: formatExactKwh(exported),
    })),
  };
}
