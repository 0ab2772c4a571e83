import type { Command } from 'commander';
import type { z } from 'zod';
import { listMembers, removeMember } from '#src/api/v1/members/operations.ts';
import { createUser, deleteUser, getUser, listUsers, updateUser } from '#src/api/v1/users/operations.ts';
import { type createdUserSchema, newUserSchema } from '#src/api/v1/users/shape.ts';
import { unlinkProviders } from '#src/auth/oidc/sign-in.ts';
import { closeUserSessionsAndEmailChanges } from '#src/auth/sessions.ts';
import { omitUndefined } from '#src/core/omit-undefined.ts';
import type { Database } from '#src/database/connect.ts';
import { isTimeZone } from '#src/energy/ranges.ts';
import { createConsoleSignInLink } from '#src/start/sign-in-link.ts';
import { runAsOperator } from '#src/users/audit.ts';
import { findUserId } from './named-user.ts';
import { callOperation } from './nouns/as-operator.ts';
import { parseOptionValues } from './nouns/members.ts';
import {
  type ApiNoun,
  addActionCommand,
  addDeleteCommand,
  addGetCommand,
  addListCommand,
  addUpdateCommand,
} from './nouns/verbs.ts';
import { printResult, runOnServiceDatabase } from './running-service.ts';

/** Registers `energy users …`, which an operator runs on the machine of the running service. */
export function registerCommands(program: Command): void {
  const users = program.command('users');
  users
    .command('sign-in <email>')
    .description('print a link that signs in to the dashboard as this account; it is valid once, for a day')
    .option('--json', 'print one JSON object')
    .action(signIn);
  users
    .command('sign-out <email>')
    .description('end all dashboard sessions of this account')
    .option('--json', 'print one JSON object')
    .action(signOut);
  users
    .command('unlink <email>')
    .description(
      'let another person of the OpenID Connect provider sign in to this account: the next sign-in with its verified address links it',
    )
    .option('--json', 'print one JSON object')
    .action(forgetIdentities);
  users
    .command('create')
    .description('create an account')
    .requiredOption('--email <email>', 'e-mail address of the account')
    .option('--role <role>', 'role: homeowner, utility or admin', 'homeowner')
    .option('--phone <number>', 'phone number for alerts by SMS, such as +4915112345678')
    .option('--timezone <zone>', 'time zone of its days and months (default: this machine’s)')
    .option('--json', 'print one JSON object')
    .action(create);
  addUserCommands(users);
}

const signIn = (email: string, o: { json?: boolean }) =>
  runOnServiceDatabase(async (db, config) => {
    const link = await createConsoleSignInLink(db, config, email);
    if (link === null) throw new Error(`There is no user ${email}`);
    printResult(o.json, { link }, link);
  });

const signOut = (email: string, o: { json?: boolean }) =>
  runOnServiceDatabase(async (db) => {
    const userId = await findUserId(db, email);
    const end = (trx: Database) => closeUserSessionsAndEmailChanges(trx, userId);
    const ended = (await runAsOperator(db, 'sessions.ended', end, () => userId)).length;
    printResult(o.json, { user_id: userId, ended }, `Ended ${ended} sessions of ${email}.`);
  });

const forgetIdentities = (email: string, o: { json?: boolean }) =>
  runOnServiceDatabase(async (db) => {
    const userId = await findUserId(db, email);
    const forgotten = await runAsOperator(
      db,
      'identity.unlinked',
      (trx) => unlinkProviders(trx, userId),
      () => userId,
    );
    printResult(o.json, { user_id: userId, unlinked: forgotten }, `Removed ${forgotten} identities of ${email}.`);
  });

interface NewUser {
  email: string;
  role: string;
  phone?: string;
  timezone?: string;
  json?: boolean;
}

async function create({ json, timezone: given, ...typed }: NewUser): Promise<void> {
  const timezone = given ?? machineZone();
  const body = parseOptionValues(newUserSchema, { ...typed, ...omitUndefined({ timezone }) });
  await runOnServiceDatabase(async (db, config) => {
    const { answer } = await callOperation(createUser, { body }, { db, config, what: 'user' });
    const { user_id, status } = answer as z.output<typeof createdUserSchema>;
    const shown = { user_id, status, timezone: timezone ?? 'UTC' };
    const zone = `User ${user_id}, time zone ${shown.timezone}`;
    const way = `change it with energy users update ${typed.email} --timezone ZONE`;
    printResult(json, shown, given === undefined ? `${zone} (this machine’s; ${way})` : zone);
  });
}

/**
 * Returns this machine's time zone. Undefined for UTC, the default of machines without a configured time zone; the dashboard then asks the
 * user.
 */
function machineZone(): string | undefined {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return isTimeZone(timeZone) && !/^(Etc\/)?(UTC|GMT|UCT|Zulu|Universal|Greenwich)$/.test(timeZone)
    ? timeZone
    : undefined;
}

const USER: ApiNoun = {
  name: 'user',
  id: 'user_id',
  columns: ['user_id', 'email', 'role', 'plan', 'timezone', 'created_at'],
};

/** Registers `energy users list|get|update|delete`. */
function addUserCommands(users: Command): void {
  addListCommand(users, USER, listUsers, { ofUser: false });
  addGetCommand(users, USER, getUser);
  addUpdateCommand(users, USER, updateUser);
  addDeleteCommand(users, USER, deleteUser, 'with all readings, aggregates, keys and alerts; they cannot be restored');
  addActionCommand(users, 'members', USER, listMembers);
  addActionCommand(users, 'end-membership', USER, removeMember, { more: ['member_id'] });
}
