import { z } from 'zod';
import { dateField, idField, userIdField } from '#src/api/fields.ts';
import { createdAt, instantShape, userId } from '#src/api/shapes.ts';
import type { BillDetails, BillPeriod, BillVersion } from '#src/billing/store.ts';
import { asMilliwattHours, formatExactKwh, type MilliwattHours } from '#src/core/units.ts';
import { ROLES } from '#src/database/enums.ts';

/** Descriptions of the members, in requests and in responses. */
const MEANING = {
  bill_period_id: 'Id of the bill period.',
  device_id: 'The device that is billed by itself. Null: the home, at its connection point.',
  start: 'First day of the period, in the time zone of the account.',
  end: 'Last day of the period, inclusive.',
  sha256: 'SHA-256 of the statement without this member, in the canonical form of RFC 8785; hexadecimal.',
};
const kwh = (meaning: string) => z.string().describe(`${meaning} In kWh with six decimals, as text.`);
const count = z.number().int().nonnegative();

export const newBillPeriod = z
  .strictObject({
    user_id: userIdField.optional(),
    device_id: idField.optional().describe('Bills this device by itself. Default: the home of the user.'),
    start: dateField.describe(MEANING.start),
    end: dateField.describe(MEANING.end),
  })
  .refine(({ user_id, device_id }) => user_id === undefined || device_id === undefined, {
    path: ['device_id'],
    message: 'must not be given beside user_id: a device has its owner',
  });

const reading = z
  .strictObject({
    kwh: kwh('What the register shows.'),
    at: instantShape.describe('When it shows that.'),
    is: z
      .enum(['measured', 'by_hand', 'interpolated', 'last'])
      .describe(
        '`measured` at that time, or read then by a person (`by_hand`); `interpolated` on the line between the readings before and after it; `last`: the last one before the end, where the register did not go on.',
      ),
  })
  .meta({ id: 'RegisterReading' });
const energy = {
  import_kwh: kwh('What flowed in within the period.'),
  export_kwh: kwh('What flowed out within the period.'),
  estimated_kwh: kwh('Part of `import_kwh` that was spread over silences of more than an hour.'),
  intervals: count.describe('Quarter-hours of the period.'),
  intervals_known: count.describe('Of these: of which the import is known, at least in part.'),
  intervals_estimated: count.describe('Of these: of which some of the import is estimated.'),
  registers: z
    .array(
      z.strictObject({
        device_id: z.string().describe('Id of the device.'),
        channel: z.string().describe('What it measures, such as `import/t1`.'),
        native_name: z.string().describe('What the device calls it.'),
        direction: z.enum(['import', 'export']).describe('What it counts as.'),
        at_start: reading.nullable().describe('At the start of the period. Null: not known.'),
        at_end: reading.nullable().describe('At the end of the period. Null: not known.'),
        energy_kwh: z
          .string()
          .nullable()
          .describe(
            'What it counted in between, in kWh with six decimals, as text: with a reset, a rollover or a swap not the difference of the two. Null: not known any more.',
          ),
      }),
    )
    .describe('The registers that count, and what they showed.'),
  import_beside_registers_kwh: kwh('Part of `import_kwh` that no register tells.'),
  export_beside_registers_kwh: kwh('Part of `export_kwh` that no register tells.'),
  edits: z
    .array(
      z
        .strictObject({
          edit_id: z.string().describe('Id of the edit.'),
          device_id: z.string().describe('Id of the device that it is about.'),
          action: z.enum(['exclude', 'add']).describe('Whether readings are passed over, or one was read by hand.'),
          native_name: z.string().nullable().describe('The quantity. Null: every quantity of the device.'),
          start: instantShape.describe('From this time on; of `add`: when it was read.'),
          end: instantShape.nullable().describe('Up to this time, exclusive. Null: of `add`.'),
          kwh: z
            .string()
            .nullable()
            .describe('What the register showed, in kWh with six decimals, as text. Null: of `exclude`.'),
          reason: z.string().describe('Why, in the words of its author.'),
          author: z
            .enum(ROLES)
            .nullable()
            .describe(
              'What its author is; `GET /v1/devices/{device_id}/edits` has the id. Null: the account was erased.',
            ),
        })
        .meta({ id: 'BillEdit' }),
    )
    .optional()
    .describe(
      'Edits of readings in force that are about a time of the period, up to 1,000. Left out of statements that were recorded before statements had them.',
    ),
};
const adjustment = z
  .strictObject({
    bill_period_id: z.string().describe('Id of the period that was corrected after it was closed.'),
    start: z.iso.date().describe('Its first day.'),
    end: z.iso.date().describe('Its last day.'),
    import_kwh: kwh('By how much its import changed.'),
    export_kwh: kwh('By how much its export changed.'),
  })
  .meta({ id: 'BillAdjustment' });

const period = {
  bill_period_id: z.string().describe(MEANING.bill_period_id),
  user_id: userId,
  device_id: z.string().nullable().describe(MEANING.device_id),
  start: z.iso.date().describe(MEANING.start),
  end: z.iso.date().describe(MEANING.end),
  timezone: z.string().describe('IANA time zone of its days: that of the account when the period was made.'),
};
const cause = z
  .enum(['first', 'again', 'closing'])
  .describe('Why it was told: first, again while the period was open, or as it was closed.');
export const statement = z
  .strictObject({
    ...period,
    version: count.describe('Number of the version, from 1.'),
    cause,
    starts_at: instantShape.describe('Start of the first day.'),
    ends_at: instantShape.describe('End of the last day.'),
    recorded_at: instantShape.describe('When this was known.'),
    ...energy,
    adjustments: z.array(adjustment).describe('Corrections of closed periods that are billed with this one.'),
    billed_import_kwh: kwh('`import_kwh` and the adjustments.'),
    billed_export_kwh: kwh('`export_kwh` and the adjustments.'),
    previous_sha256: z.string().nullable().describe('`sha256` of the version before. Null: there is none.'),
    sha256: z.string().describe(MEANING.sha256),
  })
  .meta({ id: 'BillStatement' });
const status = z
  .enum(['open', 'closed'])
  .describe('What changes of the days of a `closed` period is billed with the next open one.');

/** A row of the list: the latest statement of the period. */
export const billPeriod = z
  .strictObject({
    ...period,
    status,
    created_at: createdAt,
    closed_at: instantShape.nullable().describe('When it was closed. Null: it is open.'),
    version: count.describe('Number of the last version.'),
    recorded_at: instantShape.describe('When that was known.'),
    import_kwh: energy.import_kwh,
    export_kwh: energy.export_kwh,
    estimated_kwh: energy.estimated_kwh,
    billed_import_kwh: kwh('`import_kwh` and adjustments of others.'),
    billed_export_kwh: kwh('`export_kwh` and adjustments of others.'),
    sha256: z.string().describe(MEANING.sha256),
  })
  .meta({ id: 'BillPeriod' });

export const billDetails = z
  .strictObject({
    ...period,
    status,
    created_at: createdAt,
    closed_at: instantShape.nullable().describe('When it was closed. Null: it is open.'),
    first_told: statement.describe('What was told first.'),
    last_told: statement.describe('What was told last.'),
    known_now: z.strictObject(energy).meta({ id: 'BillEnergy' }).describe('What is known of the period now.'),
    difference: z
      .strictObject({
        import_kwh: kwh('Of what flowed in.'),
        export_kwh: kwh('Of what flowed out.'),
        estimated_kwh: kwh('Of the part that is estimated.'),
      })
      .describe('What is known now, less what was told first.'),
    versions: z
      .array(
        z.strictObject({
          version: count.describe('Number of the version.'),
          cause,
          recorded_at: instantShape.describe('When this was known.'),
          import_kwh: energy.import_kwh,
          export_kwh: energy.export_kwh,
          estimated_kwh: energy.estimated_kwh,
          import_change_kwh: kwh('By how much the import changed since the version before; of the first all of it.'),
          export_change_kwh: kwh('The same of the export.'),
          sha256: z.string().describe(MEANING.sha256),
        }),
      )
      .describe('All that was told of the period, in order. Their changes add up to the last one.'),
    adjustments: z
      .array(adjustment)
      .describe('Corrections of closed periods that were billed with this one or, while it is open, wait for it.'),
    corrections: z
      .array(
        z.strictObject({
          told_in: z
            .string()
            .nullable()
            .describe('Id of the period that bills it. Null: none that is open begins after this one.'),
          status: z.enum(['told', 'waiting']).describe('Whether that period was closed with it.'),
          import_kwh: kwh('By how much the import changed.'),
          export_kwh: kwh('By how much the export changed.'),
        }),
      )
      .describe(
        'What changed of this period after it was closed. With what it was closed with they add up to `known_now`.',
      ),
  })
  .meta({ id: 'BillPeriodDetails' });

const statusOf = ({ closed_at }: BillPeriod) => (closed_at ? ('closed' as const) : ('open' as const));
const periodOf = (one: BillPeriod) => ({
  bill_period_id: one.bill_period_id,
  user_id: one.user_id,
  device_id: one.device_id,
  start: one.start,
  end: one.end,
  timezone: one.timezone,
});
const timesOf = (one: BillPeriod) => ({
  status: statusOf(one),
  created_at: one.created_at.toISOString(),
  closed_at: one.closed_at?.toISOString() ?? null,
});
const difference = (a: MilliwattHours, b: MilliwattHours) => formatExactKwh(asMilliwattHours(a - b));

/** Returns a statement with its checksum. */
const statementToWire = ({ told, sha256 }: BillVersion): z.output<typeof statement> => ({ ...told, sha256 });

export const toWire = (one: BillPeriod, { told, sha256 }: BillVersion): z.output<typeof billPeriod> => ({
  ...periodOf(one),
  ...timesOf(one),
  version: told.version,
  recorded_at: told.recorded_at,
  import_kwh: told.import_kwh,
  export_kwh: told.export_kwh,
  estimated_kwh: told.estimated_kwh,
  billed_import_kwh: told.billed_import_kwh,
  billed_export_kwh: told.billed_export_kwh,
  sha256,
});

/** Converts a period with all its statements for a response; it has at least one version. */
export function detailsToWire({
  period: one,
  versions,
  known,
  energy: now,
  adjustments,
  corrections,
}: BillDetails): z.output<typeof billDetails> {
  const [first, last] = [versions[0], versions.at(-1)] as [BillVersion, BillVersion];
  return {
    ...periodOf(one),
    ...timesOf(one),
    first_told: statementToWire(first),
    last_told: statementToWire(last),
    known_now: now,
    difference: {
      import_kwh: difference(known.imported, first.imported),
      export_kwh: difference(known.exported, first.exported),
      estimated_kwh: difference(known.estimated, first.estimated),
    },
    versions: versions.map(({ told, sha256, imported, exported }, index) => ({
      version: told.version,
      cause: told.cause,
      recorded_at: told.recorded_at,
      import_kwh: told.import_kwh,
      export_kwh: told.export_kwh,
      estimated_kwh: told.estimated_kwh,
      import_change_kwh: difference(imported, versions[index - 1]?.imported ?? asMilliwattHours(0)),
      export_change_kwh: difference(exported, versions[index - 1]?.exported ?? asMilliwattHours(0)),
      sha256,
    })),
    adjustments,
    corrections: corrections.map(({ toldIn, isTold, imported, exported }) => ({
      told_in: toldIn,
      status: isTold ? 'told' : 'waiting',
      import_kwh: formatExactKwh(imported),
      export_kwh: formatExactKwh(exported),
    })),
  };
}
