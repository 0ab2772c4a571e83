import type { Command } from 'commander';
import { omitUndefined } from '#src/core/omit-undefined.ts';
import { type AuditLogEntry, listAudit } from '#src/users/audit.ts';
import { resolveUserId } from './named-user.ts';
import { parseLimit } from './option-values.ts';
import { printResult, runOnServiceDatabase } from './running-service.ts';

/** Registers `energy audit`, which prints the same audit log as GET /v1/audit, and also the e-mail addresses of accounts. */
export function registerCommands(program: Command): void {
  program
    .command('audit')
    .option('--user <user>', 'only entries with this account as actor or target: a user_id or an e-mail address')
    .option('--limit <n>', 'maximum number of rows', '50')
    .option('--json', 'print one JSON object per line')
    .action((options: { user?: string; limit: string; json?: boolean }) =>
      runOnServiceDatabase(async (db) => {
        const limit = parseLimit(options.limit);
        const userId = options.user === undefined ? undefined : await resolveUserId(db, options.user);
        const acts = await listAudit(db, { limit, ...omitUndefined({ userId }) });
        for (const act of acts) printResult(options.json, act, lineOf(act));
        if (acts.length === 0 && !options.json) console.log('The audit log has no entries.');
      }),
    );
}

const lineOf = ({ at, address, action, details, ...act }: AuditLogEntry): string => {
  const [target, actor] = [named(act.target, act.target_email), named(act.actor_user_id, act.actor_email)];
  return `${at.toISOString()}  ${action}  ${target}  by ${actor} from ${address ?? '-'}  ${JSON.stringify(details)}`;
};

/** Formats an id. If it is the id of an account, the e-mail address follows. */
const named = (id: string | null, email: string | null): string =>
  email === null ? (id ?? '-') : `${id ?? '-'} (${email})`;
