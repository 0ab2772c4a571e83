import { z } from 'zod';
import { phone, zone } from '#src/api/fields.ts';
import { instant } from '#src/api/shapes.ts';
import { PLANS, ROLES } from '#src/database/enums.ts';
import type { User } from '#src/users/store.ts';

const email = z.email().max(254);
const role = z.enum(ROLES);
const plan = z.enum(PLANS);

export const newUser = z.strictObject({
  email,
  role,
  phone: phone.optional(),
  timezone: zone.optional(),
  plan: plan.optional(),
});
export const userPatch = z.strictObject({ email, phone: phone.nullable(), role, timezone: zone, plan }).partial();

export const user = z
  .strictObject({
    user_id: z.string(),
    email: z.string(),
    role,
    created_at: instant,
    phone: z.string().nullable(),
    timezone: z.string(),
    plan,
  })
  .meta({ id: 'User' });

/** An account as answers show it. */
export const toWire = (row: User): z.output<typeof user> => ({
  user_id: row.user_id,
  email: row.email,
  role: row.role,
  created_at: row.created_at.toISOString(),
  phone: row.phone,
  timezone: row.timezone,
  plan: row.plan,
});
