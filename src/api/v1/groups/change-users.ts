import { z } from 'zod';
import { id } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import { change } from './change.ts';
import { changed, changes } from './shape.ts';

export const changeGroupUsers = operation({
  summary: 'Adds homes to a group and removes others, up to 10,000 each; all of it or nothing.',
  method: 'POST',
  path: '/v1/groups/{group_id}/users',
  audit: { action: 'group.homes_changed', target: 'group_id' },
  scope: 'users:write',
  status: 200,
  answer: changed,
  params: z.object({ group_id: id }),
  body: changes,
  handle: ({ context, caller, params, body }) =>
    change(context.db, caller, params.group_id, { ...body, fieldOf: (index) => `add.${index}` }),
});
