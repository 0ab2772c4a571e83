import { created_at, type Examples, group_id, user_id } from '../example-ids.ts';
import { USER_EXAMPLES } from '../users/example.ts';

const group = {
  group_id,
  user_id: 'usr_01k8xpz3m6c1s8f4v9yj2av5g7',
  name: 'Feeder 14',
  kind: 'feeder',
  parent_group_id: null,
  members: 212,
  created_at,
};

export const GROUP_EXAMPLES = {
  createGroup: { body: { name: 'Feeder 14', kind: 'feeder' }, answer: { ...group, members: 0 } },
  listGroups: { answer: [group] },
  getGroup: { answer: group },
  updateGroup: { body: { name: 'Feeder 14 north' }, answer: { ...group, name: 'Feeder 14 north' } },
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
