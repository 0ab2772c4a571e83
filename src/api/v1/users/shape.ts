import { z } from 'zod';
import { phoneField, textField, zoneField } from '#src/api/fields.ts';
import { pickMembers } from '#src/api/shapes.ts';
import { accountSchema } from '#src/events/bodies.ts';
import type { User } from '#src/users/store.ts';
import { created_at, type Examples, user_id } from '../example-ids.ts';

/** A user in responses. The event `user.created` contains the same members. */
export const userSchema = accountSchema;

/** A user in a list, with additional members if they were requested. */
export const listedUserSchema = accountSchema
  .extend({
    devices: z
      .strictObject({
        total: z.number().int().describe('Number of devices of the account.'),
        silent: z.number().int().describe('Number of devices without a message for 24 hours.'),
        faulty: z.number().int().describe('Number of faulty devices.'),
      })
      .optional()
      .describe('Device counts of the account. Only with `include=devices`.'),
  })
  .meta({ id: 'ListedUser' });

const { role, plan } = accountSchema.shape;
export const emailSchema = z.email().max(254).describe('E-mail address, unique among all accounts; case is ignored.');
const ownPhone = phoneField.describe('Phone number in E.164 form, such as +4915112345678.');
const timezone = zoneField.describe('IANA time zone of the user, such as Europe/Berlin. Default: UTC.');

export const newUserSchema = z.strictObject({
  email: emailSchema,
  role,
  phone: ownPhone.optional(),
  timezone: timezone.optional(),
  plan: plan.optional(),
});
export const userPatchSchema = z
  .strictObject({
    email: emailSchema,
    phone: phoneField.nullable().describe('Phone number in E.164 form. Null removes it.'),
    role,
    timezone,
    plan,
    emission_series_id: textField(100)
      .nullable()
      .describe(
        'Id of the user’s emission series, for `include=emissions`: its own series, its utility’s or an administrator’s. Null removes it.',
      ),
    remarks_by_mail: z
      .boolean()
      .describe(
        'Whether the user gets a mail about each new remark on its home. The language of the mails is the `Accept-Language` (en, de, es, fr or nl) of the request that switches them on.',
      ),
  })
  .partial();

export const createdUserSchema = z.strictObject({
  user_id: z.string().describe('Id of the new user.'),
  status: z.string().describe('Always `created`.'),
});

/** Converts a stored account to its form in responses. */
export const userToResponse = ({ pending_email, ...row }: User): z.output<typeof userSchema> => ({
  ...pickMembers(userSchema, row),
  ...(pending_email ? { pending_email } : {}),
});

const exampleUser = {
  user_id,
  email: 'anna@example.com',
  role: 'homeowner',
  created_at,
  phone: '+4915112345678',
  timezone: 'Europe/Berlin',
  plan: 'free',
  emission_series_id: null,
  remarks_by_mail: false,
};

export const USER_EXAMPLES = {
  createUser: {
    body: { email: 'anna@example.com', role: 'homeowner', timezone: 'Europe/Berlin' },
    answer: { user_id, status: 'created' },
  },
  listUsers: { answer: [exampleUser] },
  getUser: { answer: exampleUser },
  updateUser: {
    body: { email: 'anna@example.org' },
    answer: { ...exampleUser, pending_email: 'anna@example.org' },
  },
  exportUser: { answer: 'PK…' },
  deleteUser: { answer: { message: `User ${user_id} and all associated data were deleted` } },
} satisfies Examples;
