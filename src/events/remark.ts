import { z } from 'zod';

/** Schema of a remark, a notice about unusual usage of a home, in the API and in the event `remark.raised`. */
const instant = z.iso.datetime({ offset: true });
const energy = (meaning: string) => z.number().min(0).describe(`${meaning}, in kWh.`);
const watts = (meaning: string) => z.number().int().describe(`${meaning}, in watts.`);
const KINDS =
  'Kind of remark. `stays_on`: a load that no longer switches off; `night_rose`: a higher power in the quietest two hours; `device_uses_more`: a device whose usage hardly varies uses more; `production_missing`: panels that produce nothing; `unusual_day`: a day with far more usage than usual for its weekday; `cheaper_tariff`: a tariff that would have cost less in the last twelve whole months.';
const kind = <Kind extends string>(name: Kind) => z.literal(name).describe(KINDS);
const date = z.iso.date();

const lasting = {
  since: instant.describe('Start of the condition.'),
  until: instant.describe('Latest time at which the condition is known to hold.'),
};
const USED = 'Usage of the device in the last 24 hours, or of the home on the day';
const USUAL = 'Median of the same value on the compared days';
const COMPARED =
  'Values of earlier days, oldest first. If the rows have `at`, the last row is the value of the remark itself.';
const at = instant.describe('End of the hours that the value covers.');
const comparedWatts = z
  .array(z.strictObject({ at, watts: watts('Power in these hours') }).meta({ id: 'ComparedWatts' }))
  .describe(COMPARED);
const comparedKwh = z
  .array(z.strictObject({ at, kwh: energy('Energy of these 24 hours') }).meta({ id: 'ComparedKwh' }))
  .describe(COMPARED);

const staysOn = z.strictObject({
  kind: kind('stays_on'),
  ...lasting,
  least_w: watts('Lowest power of the home since the start of the condition'),
  usual_w: watts(USUAL),
  device_id: z
    .string()
    .nullable()
    .describe('Id of the device that the remark concerns, or that causes most of a rise. Null: unknown.'),
  location: z.string().nullable().describe('Location of this device. Null: unknown.'),
  compared: comparedWatts,
});

const nightRose = z.strictObject({
  kind: kind('night_rose'),
  ...lasting,
  quiet_w: watts('Mean power of the quietest two hours of the last day'),
  usual_w: watts(USUAL),
  compared: comparedWatts,
});

const deviceUsesMore = z.strictObject({
  kind: kind('device_uses_more'),
  ...lasting,
  device_id: z.string().describe('Id of the device that the remark concerns.'),
  location: z.string().describe('Location of this device.'),
  kwh: energy(USED),
  usual_kwh: energy(USUAL),
  compared: comparedKwh,
});

const productionMissing = z.strictObject({
  kind: kind('production_missing'),
  ...lasting,
  expected_kwh: energy('Energy that the panels would have produced since the condition began, even with little sun'),
  is_silent: z.boolean().describe('True: the production is unknown. False: it is known to be 0.'),
  compared: comparedKwh,
});

const unusualDay = z.strictObject({
  kind: kind('unusual_day'),
  date: date.describe('The unusual day, in the time zone of the user.'),
  weekday: z.number().int().min(1).max(7).describe('Weekday of the unusual day: 1 is Monday.'),
  kwh: energy(USED),
  usual_kwh: energy(USUAL),
  compared: z
    .array(
      z
        .strictObject({ date: date.describe('Compared day.'), kwh: energy('Usage of the compared day') })
        .meta({ id: 'ComparedDay' }),
    )
    .describe(COMPARED),
});

const cheaperTariff = z.strictObject({
  kind: kind('cheaper_tariff'),
  start: date.describe('First day of the comparison, in the time zone of the user.'),
  end: date.describe('Last day of the comparison, inclusive.'),
  tariff_id: z.string().describe('Id of the cheaper tariff.'),
  name: z.string().describe('Name of the cheaper tariff.'),
  currency: z.string().describe('Currency of both amounts (ISO 4217).'),
  paid: z.string().describe('Cost of these months under the tariffs then in force, as a decimal.'),
  would_have_paid: z.string().describe('Cost of these months under the cheaper tariff, as a decimal.'),
});

export const remarkSchema = z
  .union([staysOn, nightRose, deviceUsesMore, productionMissing, unusualDay, cheaperTariff])
  .meta({ id: 'Remark' });

export type RemarkBody = z.output<typeof remarkSchema>;

const ofUser = { user_id: z.string().describe('Id of the user that the remark is about.') };

export const remarkRaisedSchema = z.union([
  staysOn.extend(ofUser),
  nightRose.extend(ofUser),
  deviceUsesMore.extend(ofUser),
  productionMissing.extend(ofUser),
  unusualDay.extend(ofUser),
  cheaperTariff.extend(ofUser),
]);
