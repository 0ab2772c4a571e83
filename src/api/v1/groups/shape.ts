import { z } from 'zod';
import { createBoundedArraySchema, idField, textField } from '#src/api/fields.ts';
import { createdAtSchema, daySchema, pickMembers, userIdSchema } from '#src/api/shapes.ts';
import {
  INCLUDABLE_MEMBERS,
  INSIGHT_ROWS_DESCRIPTION,
  peakHourSchema,
  usageSchema,
} from '#src/api/v1/energy-insights/shape.ts';
import type { Group } from '#src/groups/store.ts';
import { created_at, type Examples, group_id, user_id } from '../example-ids.ts';
import { USER_EXAMPLES } from '../users/shape.ts';

const name = textField(100).describe('Name of the group, chosen by its owner.');
const kind = textField(50).nullable().describe('Kind of group, such as `building` or `feeder`. Null: not given.');
const parent = idField
  .nullable()
  .describe(
    'Id of the parent group, which must have the same owner and must not be a subgroup of this group. A tree has at most 8 levels. Null: none.',
  );

export const newGroupSchema = z.strictObject({
  user_id: idField
    .optional()
    .describe('Id of the owner, a utility or an administrator. Default: the owner of the key.'),
  name,
  kind: kind.optional(),
  parent_group_id: parent.optional(),
});
export const groupPatchSchema = z.strictObject({ name, kind, parent_group_id: parent }).partial();

const groupId = z.string().describe('Id of the group.');

export const groupSchema = z
  .strictObject({
    group_id: groupId,
    user_id: userIdSchema,
    name,
    kind,
    parent_group_id: parent,
    members: z.number().int().describe('Number of homes in the group, without the homes of its subgroups.'),
    created_at: createdAtSchema,
  })
  .meta({ id: 'Group' });

/** Maximum number of homes that one request can add to a group or remove from it. */
const MAX_CHANGED = 10_000;
const homes = createBoundedArraySchema(idField, 0, MAX_CHANGED).default([]);
export const memberChangesSchema = z.strictObject({
  add: homes.describe('Ids of the homes to add. Homes that are already in the group do not change.'),
  remove: homes.describe('Ids of the homes to remove. Homes that are not in the group are ignored.'),
});
export const changedGroupSchema = z
  .strictObject({
    group_id: groupId,
    added: z.number().int().describe('Number of homes that were added.'),
    removed: z.number().int().describe('Number of homes that were removed.'),
    members: groupSchema.shape.members,
  })
  .meta({ id: 'ChangedGroup' });

const homeCount = z
  .number()
  .int()
  .describe('Number of homes in the total, including the homes of subgroups. Each home counts once.');

/** Usage of a group: rows if the request names days, otherwise one object for the last 30 days. */
export const groupInsightsSchema = z
  .union([
    z.strictObject({
      group_id: groupId,
      homes: homeCount,
      data: z.array(usageSchema).describe(INSIGHT_ROWS_DESCRIPTION),
    }),
    z.strictObject({
      group_id: groupId,
      homes: homeCount,
      date_range: z
        .strictObject({
          start: daySchema.describe('First day of the summary.'),
          end: daySchema.describe('Last day of the summary, inclusive: today.'),
        })
        .describe('Days of the summary.'),
      kwh_used: z.number().describe('Usage of the homes, in kWh.'),
      peak_usage_time: peakHourSchema,
      ...INCLUDABLE_MEMBERS,
    }),
  ])
  .meta({ id: 'GroupEnergyInsights' });

/**
 * Converts a group to its form in responses. `limitedTo`: the group to which the caller's key is limited; its parent group is
 * hidden.
 */
export const groupToResponse = (row: Group, limitedTo: string | null): z.output<typeof groupSchema> => ({
  ...pickMembers(groupSchema, row),
  parent_group_id: row.group_id === limitedTo ? null : row.parent_group_id,
});

const exampleGroup = {
  group_id,
  user_id: 'usr_01k8xpz3m6c1s8f4v9yj2av5g7',
  name: 'Feeder 14',
  kind: 'feeder',
  parent_group_id: null,
  members: 212,
  created_at,
};

export const GROUP_EXAMPLES = {
  createGroup: { body: { name: 'Feeder 14', kind: 'feeder' }, answer: { ...exampleGroup, members: 0 } },
  listGroups: { answer: [exampleGroup] },
  getGroup: { answer: exampleGroup },
  updateGroup: { body: { name: 'Feeder 14 north' }, answer: { ...exampleGroup, name: 'Feeder 14 north' } },
  deleteGroup: { answer: { message: `Group ${group_id} was deleted` } },
  listGroupUsers: USER_EXAMPLES.listUsers,
  changeGroupUsers: { body: { add: [user_id] }, answer: { group_id, added: 1, removed: 0, members: 212 } },
  addGroupUser: { answer: { group_id, added: 1, removed: 0, members: 212 } },
  removeGroupUser: { answer: { group_id, added: 0, removed: 1, members: 211 } },
  groupEnergyInsights: {
    answer: {
      group_id,
      homes: 212,
      data: [
        { date: '2026-06-14', kwh_used: 2_418.206, peak_hour: '18:00' },
        { date: '2026-06-15', kwh_used: 2_377.91, peak_hour: '19:00' },
      ],
    },
    csv: 'date,kwh_used,peak_hour\n2026-06-14,2418.206,18:00\n2026-06-15,2377.91,19:00\n',
  },
} satisfies Examples;
