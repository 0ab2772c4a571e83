import type { Command } from 'commander';
import { deleteUser, getUser, listUsers, updateUser } from '#src/api/v1/users/operations.ts';
import { addDelete, addGet, addList, addUpdate, type Noun } from './verbs.ts';

const USER: Noun = {
  name: 'user',
  id: 'user_id',
  columns: ['user_id', 'email', 'role', 'plan', 'timezone', 'created_at'],
};

/** `energy users list|get|update|delete`, beside those that only the command line has. */
export function addUserVerbs(users: Command): void {
  addList(users, USER, listUsers, { ofUser: false });
  addGet(users, USER, getUser);
  addUpdate(users, USER, updateUser);
  addDelete(users, USER, deleteUser, 'with all readings, aggregates, keys, alerts: nothing brings them back');
}
