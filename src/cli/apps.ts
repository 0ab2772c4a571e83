import type { Command } from 'commander';
import { createApp, deleteApp, listApps, updateApp } from '#src/api/v1/apps/operations.ts';
import { listAuthorizations } from '#src/api/v1/authorizations/operations.ts';
import type { Database } from '#src/database/connect.ts';
import { ALL_ACCOUNTS } from '#src/database/reach.ts';
import { joinOrBeginTransaction } from '#src/database/transaction.ts';
import { endAuthorizations } from '#src/users/app-access.ts';
import { COMMAND_LINE_ACTOR, recordAuditedAction } from '#src/users/audit.ts';
import { findUser } from '#src/users/store.ts';
import { type ApiNoun, addCreateCommand, addDeleteCommand, addListCommand, addUpdateCommand } from './nouns/verbs.ts';
import { printResult, runOnServiceDatabase } from './running-service.ts';

const APP: ApiNoun = { name: 'app', id: 'app_id', columns: ['app_id', 'name', 'type', 'scopes', 'website'] };
const AUTHORIZATION: ApiNoun = {
  name: 'authorization',
  id: 'authorization_id',
  columns: ['authorization_id', 'app.name', 'scopes', 'last_used_at', 'expires_at'],
};

/** Registers `energy apps …` and `energy authorizations …`, which an operator runs on the machine of the running service. */
export function registerCommands(program: Command): void {
  const apps = program.command('apps');
  addListCommand(apps, APP, listApps, { ofUser: true });
  addCreateCommand(apps, APP, createApp, checkRegistrar);
  addUpdateCommand(apps, APP, updateApp);
  addDeleteCommand(apps, APP, deleteApp, 'with the access of all homes');

  const authorizations = program.command('authorizations');
  addListCommand(authorizations, AUTHORIZATION, listAuthorizations, { ofUser: true });
  authorizations
    .command('end <authorization_id>')
    .description('end the access of an app to a home at once, with its alerts and webhooks; the home gets a mail')
    .option('--json', 'print one JSON object')
    .action(end);
}

async function checkRegistrar(db: Database, userId: string): Promise<void> {
  const owner = await findUser(db, ALL_ACCOUNTS, userId);
  if (owner?.role === 'homeowner')
    throw new Error(`${owner.email} is a homeowner. Only utilities and administrators have apps: name one by --user.`);
}

const end = (authorizationId: string, { json }: { json?: boolean }) =>
  runOnServiceDatabase(async (db) => {
    await joinOrBeginTransaction(db, async (trx) => {
      const act = { actor: null, address: COMMAND_LINE_ACTOR, action: 'authorization.ended', target: authorizationId };
      // The audit entry is written before the app is deleted, because the entry stores the app's owner.
      await recordAuditedAction(trx, act);
      const ended = await endAuthorizations(trx, { ids: [authorizationId] }, 'operator');
      if (ended.length === 0) throw new Error(`There is no authorization ${authorizationId}`);
    });
    const summary = `Ended ${authorizationId}. The home gets a mail.`;
    printResult(json, { authorization_id: authorizationId, ended: true }, summary);
  });
