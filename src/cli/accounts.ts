import { type Command, InvalidArgumentError } from 'commander';
import { newUser } from '#src/api/v1/users/shape.ts';
import { createKey, revokeKey, rotateKey } from '#src/auth/keys.ts';
import { isScope, SCOPES, type Scope } from '#src/auth/scopes.ts';
import { closeSessionsOf } from '#src/auth/sessions.ts';
import { defined } from '#src/core/defined.ts';
import { words } from '#src/core/mistake-words.ts';
import type { Database } from '#src/database/connect.ts';
import { EVERYBODY } from '#src/database/reach.ts';
import { printedLink } from '#src/start/sign-in-link.ts';
import { actAsOperator } from '#src/users/audit.ts';
import { createUser } from '#src/users/store.ts';
import { show, withDatabase } from './beside.ts';
import { userNamed } from './named-user.ts';
import { addKeyVerbs } from './nouns/keys.ts';
import { addUserVerbs } from './nouns/users.ts';
import { askZone, machineZone } from './time-zone.ts';

/** `energy keys|users …`: what an operator does beside the running service, by the same functions as the API. */
export function register(program: Command): void {
  const keys = program.command('keys').description('API keys');
  keys
    .command('create')
    .description('create a key of a user; it is shown once')
    .requiredOption('--user <user>', 'whose key: a user_id or an e-mail address')
    .option('--name <name>', 'what it is for')
    .option('--scopes <a,b>', `what it allows (default: all of ${SCOPES.join(', ')})`, scopes)
    .option('--expires <90d>', 'when it ends, in days or hours from now', durationMs)
    .option('--json', 'print one JSON object')
    .action((o: { user: string; name?: string; scopes?: Scope[]; expires?: number; json?: boolean }) =>
      withDatabase(async (db, config) => {
        const userId = await userNamed(db, o.user);
        const expiresAt = o.expires === undefined ? undefined : new Date(Date.now() + o.expires);
        const { environment } = config;
        const wanted = { userId, environment, ...defined({ name: o.name, scopes: o.scopes, expiresAt }) };
        const key = await actAsOperator(
          db,
          'key.created',
          (trx) => createKey(trx, wanted),
          ({ key_id }) => key_id,
        );
        show(o.json, key, `Key ${key.key_id}, shown this once:\n\n  ${key.key}\n`);
      }),
    );
  keys
    .command('revoke <key_id>')
    .description('revoke a key; it is refused everywhere within 10 seconds')
    .option('--json', 'print one JSON object')
    .action((keyId: string, o: { json?: boolean }) =>
      withDatabase(async (db) => {
        const revoke = async (trx: Database) => {
          if (!(await revokeKey(trx, EVERYBODY, keyId))) throw new Error(`There is no valid key ${keyId}`);
        };
        await actAsOperator(db, 'key.revoked', revoke, () => keyId);
        show(o.json, { key_id: keyId, revoked: true }, `Key ${keyId} is revoked.`);
      }),
    );
  keys
    .command('rotate <key_id>')
    .description('replace a key by a new one with the same permissions; the old one stays valid for a while')
    .option('--overlap <24h>', 'how long the old key stays valid', durationMs)
    .option('--json', 'print one JSON object')
    .action((keyId: string, o: { overlap?: number; json?: boolean }) =>
      withDatabase(async (db, { environment }) => {
        const rotate = async (trx: Database) => {
          const wanted = { environment, now: new Date(), ...defined({ overlapMs: o.overlap }) };
          const rotated = await rotateKey(trx, EVERYBODY, keyId, wanted);
          if (!rotated) throw new Error(`There is no valid key ${keyId}`);
          return rotated;
        };
        const { created, oldExpiresAt } = await actAsOperator(db, 'key.rotated', rotate, () => keyId);
        show(
          o.json,
          { ...created, old_expires_at: oldExpiresAt.toISOString() },
          `Key ${created.key_id}, shown this once:\n\n  ${created.key}\n\n${keyId} goes on until ${oldExpiresAt.toISOString()}.`,
        );
      }),
    );
  addKeyVerbs(keys);
  const users = program.command('users').description('accounts');
  users
    .command('sign-in <email>')
    .description('print a link that signs in to the dashboard as this account; valid once, for a day')
    .option('--json', 'print one JSON object')
    .action((email: string, o: { json?: boolean }) =>
      withDatabase(async (db, config) => {
        const link = await printedLink(db, config, email);
        if (link === null) throw new Error(`There is no user ${email}`);
        show(o.json, { link }, link);
      }),
    );
  users
    .command('sign-out <email>')
    .description('end all sessions of this account in the dashboard')
    .option('--json', 'print one JSON object')
    .action((email: string, o: { json?: boolean }) =>
      withDatabase(async (db) => {
        const userId = await userNamed(db, email);
        const end = (trx: Database) => closeSessionsOf(trx, userId);
        const ended = (await actAsOperator(db, 'sessions.ended', end, () => userId)).length;
        show(o.json, { user_id: userId, ended }, `${ended} sessions of ${email} are over.`);
      }),
    );
  users
    .command('create')
    .description('create an account')
    .requiredOption('--email <email>', 'its e-mail address')
    .option('--role <role>', 'homeowner, utility or admin', 'homeowner')
    .option('--phone <number>', 'for alerts by SMS, such as +4915112345678')
    .option('--timezone <zone>', 'where its days and months begin (asked on a terminal; default: this machine’s)')
    .option('--json', 'print one JSON object')
    .action(create);
  addUserVerbs(users);
}

interface NewUser {
  email: string;
  role: string;
  phone?: string;
  timezone?: string;
  json?: boolean;
}

/** By the API's own rules. */
async function create({ json, ...given }: NewUser): Promise<void> {
  const asked = newUser.safeParse(given, { error: words });
  if (!asked.success) throw new Error(asked.error.issues.map(mistake).join('\n'));
  const isAsked = !json && process.stdin.isTTY && process.stderr.isTTY;
  const timezone = asked.data.timezone ?? (isAsked ? await askZone() : machineZone());
  const { email, role, phone } = asked.data;
  await withDatabase(async (db) => {
    const user = await actAsOperator(
      db,
      'user.created',
      (trx) => createUser(trx, { email, role, timezone, ...defined({ phone }) }),
      ({ user_id }) => user_id,
    );
    show(json, { user_id: user.user_id, status: 'created' }, `User ${user.user_id}, time zone ${timezone}`);
  });
}

const mistake = ({ path, message }: { path: PropertyKey[]; message: string }): string =>
  `--${path.join('.')}: ${message.charAt(0).toLowerCase()}${message.slice(1)}`;

function scopes(list: string): Scope[] {
  const names = list.split(',').map((name) => name.trim());
  const unknown = names.filter((name) => !isScope(name));
  if (unknown.length > 0) throw new InvalidArgumentError(`Unknown: ${unknown.join(', ')}. Known: ${SCOPES.join(', ')}`);
  return names.filter(isScope);
}

function durationMs(text: string): number {
  const [, number, unit] = /^(\d{1,5})(d|h)$/.exec(text) ?? [];
  if (number === undefined) throw new InvalidArgumentError('A number of days or hours, such as 90d or 12h');
  return Number(number) * (unit === 'd' ? 86_400_000 : 3_600_000);
}
