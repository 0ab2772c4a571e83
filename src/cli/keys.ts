import { type Command, InvalidArgumentError } from 'commander';
import { listKeys, revokeKey as revokeKeyOperation } from '#src/api/v1/keys/operations.ts';
import { toResponse } from '#src/api/v1/keys/shape.ts';
import { getAccessibleAccountsOfRole } from '#src/auth/access.ts';
import { MAX_ALLOWED_ADDRESSES, normaliseNetwork } from '#src/auth/allowed-addresses.ts';
import type { DeviceOfKey } from '#src/auth/authenticate.ts';
import { createKey, findOwnedKey, revokeKey, rotateKey, updateKeyLimits } from '#src/auth/keys.ts';
import { DEVICE_SCOPES, isScope, SCOPES, type Scope } from '#src/auth/scopes.ts';
import { omitUndefined } from '#src/core/omit-undefined.ts';
import type { Database } from '#src/database/connect.ts';
import { ALL_ACCOUNTS } from '#src/database/reach.ts';
import { findDevice } from '#src/devices/store.ts';
import { runAsOperator } from '#src/users/audit.ts';
import { findUser } from '#src/users/store.ts';
import { findUserId } from './named-user.ts';
import { addDeleteCommand, addListCommand, type CommandNoun, printResponse } from './nouns/verbs.ts';
import { printResult, runOnServiceDatabase } from './running-service.ts';

/** Registers `energy keys …`, which an operator runs next to the running service. It uses the same functions as the HTTP API. */
export function registerCommands(program: Command): void {
  const keys = program.command('keys');
  keys
    .command('create')
    .description('create a key of a user; it is shown once')
    .option(
      '--user <user>',
      'owner of the key: a user_id or an e-mail address (default with --device: the owner of the device)',
    )
    .option('--device <device_id>', 'limit the key to writing the readings of this device')
    .option('--name <name>', 'name of the key')
    .option('--scopes <a,b>', `scopes of the key, of ${SCOPES.join(', ')} (default: all except readings:…)`, scopes)
    .option('--expires <90d>', 'time until the key expires, in days or hours', lifetimeMs)
    .option('--allow <a,b>', 'addresses and networks from which the key may be used (default: everywhere)', networks)
    .option('--json', 'print one JSON object')
    .action(create);
  keys
    .command('limit <key_id>')
    .description(
      'change the allowed addresses or the expiry of a key; writes follow the change at once, reads within 10 seconds',
    )
    .option('--allow <a,b>', 'addresses and networks from which the key may be used, or everywhere', networks)
    .option('--expires <90d>', 'time until the key expires, in days or hours', lifetimeMs)
    .option('--json', 'print one JSON object')
    .action(limit);
  keys
    .command('revoke <key_id>')
    .description('revoke a key; it is refused everywhere within 10 seconds')
    .option('--json', 'print one JSON object')
    .action(revoke);
  keys
    .command('rotate <key_id>')
    .description('replace a key with a new one that has the same permissions; the old one stays valid for a while')
    .option('--overlap <24h>', 'time for which the old key stays valid', durationMs)
    .option('--expires <90d>', 'time until the new key expires, in days or hours', lifetimeMs)
    .option('--json', 'print one JSON object')
    .action(rotate);
  addKeyCommands(keys);
}

interface NewKey {
  user?: string;
  device?: string;
  name?: string;
  scopes?: Scope[];
  expires?: number;
  allow?: string[];
  json?: boolean;
}

const create = (o: NewKey) =>
  runOnServiceDatabase(async (db, config) => {
    const { userId, device } = await findKeyOwner(db, o);
    const expiresAt = o.expires === undefined ? undefined : new Date(Date.now() + o.expires);
    const { environment } = config;
    const { name, allow: allowedAddresses } = o;
    const scopes = device ? [...DEVICE_SCOPES] : o.scopes;
    const wanted = { userId, environment, ...omitUndefined({ name, scopes, expiresAt, allowedAddresses, device }) };
    const key = await runAsOperator(
      db,
      'key.created',
      (trx) => createKey(trx, wanted),
      ({ key_id }) => key_id,
    );
    // The JSON object has the documented members, plus `allowed_addresses` if the key is restricted to addresses.
    const { allowed_addresses: allowed, ...promised } = key;
    printResult(o.json, allowed.length > 0 ? key : promised, `Key ${key.key_id}, shown only once:\n\n  ${key.key}\n`);
  });

/**
 * Returns the account of a new key, and the device to which the key is limited. If the options are wrong, throws an error with the remedy.
 */
async function findKeyOwner(
  db: Database,
  { user, device, scopes }: NewKey,
): Promise<{ userId: string; device?: DeviceOfKey }> {
  if (device === undefined) {
    if (user === undefined) throw new Error('Name --user, --device or both.');
    return { userId: await findUserId(db, user) };
  }
  if (scopes?.some((scope) => !DEVICE_SCOPES.includes(scope)))
    throw new Error(`A key of one device can only have the scope ${DEVICE_SCOPES.join(', ')}: omit --scopes.`);
  const owner = await findDevice(db, ALL_ACCOUNTS, device);
  if (!owner) throw new Error(`There is no device ${device}`);
  const of = user === undefined ? null : await findUser(db, ALL_ACCOUNTS, await findUserId(db, user));
  if (of && !(await findDevice(db, getAccessibleAccountsOfRole({ role: of.role, userId: of.user_id }), device)))
    throw new Error(`The user ${user} cannot access the device ${device}`);
  return { userId: of?.user_id ?? owner.user_id, device: { id: device, madeBy: 'utility' } };
}

const limit = (keyId: string, o: { allow?: string[]; expires?: number; json?: boolean }) =>
  runOnServiceDatabase(async (db) => {
    const now = new Date();
    const expiresAt = o.expires === undefined ? undefined : new Date(now.getTime() + o.expires);
    if (o.allow === undefined && !expiresAt) throw new Error('Name --allow, --expires or both.');
    const change = async (trx: Database) => {
      const limited = await updateKeyLimits(trx, ALL_ACCOUNTS, keyId, {
        now,
        ...omitUndefined({ expiresAt, allowedAddresses: o.allow }),
      });
      if (!limited) throw new Error(`There is no valid key ${keyId}`);
      return limited;
    };
    const { expires_at, allowed_addresses } = await runAsOperator(db, 'key.changed', change, () => keyId);
    const places = allowed_addresses.join(', ') || 'everywhere';
    const end = expires_at === null ? '' : `, until ${expires_at.toISOString()}`;
    printResult(
      o.json,
      { key_id: keyId, allowed_addresses, expires_at },
      `Key ${keyId} may be used from ${places}${end}.`,
    );
  });

const revoke = (keyId: string, o: { json?: boolean }) =>
  runOnServiceDatabase(async (db) => {
    const end = async (trx: Database) => {
      if (!(await revokeKey(trx, ALL_ACCOUNTS, keyId))) throw new Error(`There is no valid key ${keyId}`);
    };
    await runAsOperator(db, 'key.revoked', end, () => keyId);
    printResult(o.json, { key_id: keyId, revoked: true }, `Key ${keyId} is revoked.`);
  });

const rotate = (keyId: string, o: { overlap?: number; expires?: number; json?: boolean }) =>
  runOnServiceDatabase(async (db, { environment }) => {
    const replace = async (trx: Database) => {
      const now = new Date();
      const expiresAt = o.expires === undefined ? undefined : new Date(now.getTime() + o.expires);
      const wanted = {
        environment,
        now,
        madeBy: 'utility' as const,
        ...omitUndefined({ overlapMs: o.overlap, expiresAt }),
      };
      const rotated = await rotateKey(trx, ALL_ACCOUNTS, keyId, wanted);
      if (!rotated) throw new Error(`There is no valid key ${keyId}`);
      return rotated;
    };
    const { created, oldExpiresAt } = await runAsOperator(db, 'key.rotated', replace, () => keyId);
    printResult(
      o.json,
      { ...created, old_expires_at: oldExpiresAt.toISOString() },
      `Key ${created.key_id}, shown only once:\n\n  ${created.key}\n\n${keyId} stays valid until ${oldExpiresAt.toISOString()}.`,
    );
  });

function scopes(list: string): Scope[] {
  const names = list.split(',').map((name) => name.trim());
  const unknown = names.filter((name) => !isScope(name));
  if (unknown.length > 0) throw new InvalidArgumentError(`Unknown: ${unknown.join(', ')}. Known: ${SCOPES.join(', ')}`);
  if (new Set(names).size < names.length) throw new InvalidArgumentError('Must name each scope once');
  return names.filter(isScope);
}

/** Validates a list of addresses and networks with the HTTP API's own rules. */
function networks(list: string): string[] {
  if (list === 'everywhere') return [];
  const normal = list.split(',').map((text) => [text.trim(), normaliseNetwork(text.trim())] as const);
  const wrong = normal.filter(([, network]) => network === null).map(([text]) => text);
  if (wrong.length > 0 || normal.length > MAX_ALLOWED_ADDRESSES)
    throw new InvalidArgumentError(
      `At most ${MAX_ALLOWED_ADDRESSES} addresses or networks, separated by commas, such as 203.0.113.7,10.0.0.0/8, or everywhere. Invalid: ${wrong.join(', ') || `${normal.length} of them`}`,
    );
  return [...new Set(normal.map(([, network]) => network as string))];
}

function durationMs(text: string): number {
  const [, number, unit] = /^(\d{1,5})(d|h)$/.exec(text) ?? [];
  if (number === undefined) throw new InvalidArgumentError('Must be a number of days or hours, such as 90d or 12h');
  return Number(number) * (unit === 'd' ? 86_400_000 : 3_600_000);
}

function lifetimeMs(text: string): number {
  const ms = durationMs(text);
  if (ms === 0) throw new InvalidArgumentError('Must be more than 0, because the key would have expired already');
  return ms;
}

const KEY: CommandNoun = {
  name: 'key',
  id: 'key_id',
  columns: ['key_id', 'prefix', 'name', 'last_used_at', 'expires_at', 'scopes'],
};

/**
 * Registers `energy keys list|get|delete`, in addition to the commands that create and end keys. There is no command to change a key; keys
 * are rotated.
 */
export function addKeyCommands(keys: Command): void {
  addListCommand(keys, KEY, listKeys, { ofUser: true });
  keys
    .command('get <key_id>')
    .description('show one key, without the secret key itself')
    .option('--json', 'print one JSON object')
    .action((keyId: string, { json }: { json?: boolean }) =>
      runOnServiceDatabase(async (db) => {
        const row = await findOwnedKey(db, ALL_ACCOUNTS, keyId);
        if (!row) throw new Error(`There is no valid key ${keyId}`);
        printResponse({ ...toResponse(row), user_id: row.user_id }, json);
      }),
    );
  addDeleteCommand(keys, KEY, revokeKeyOperation, 'like energy keys revoke, without confirmation');
}
