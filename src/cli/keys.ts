import { type Command, InvalidArgumentError } from 'commander';
import type { z } from 'zod';
import { createKey, listKeys, revokeKey as revokeKeyOperation } from '#src/api/v1/keys/operations.ts';
import { type createdKeySchema, keyToResponse } from '#src/api/v1/keys/shape.ts';
import { MAX_ALLOWED_ADDRESSES, normaliseNetwork } from '#src/auth/allowed-addresses.ts';
import { findActiveKey, MAX_OVERLAP_HOURS, revokeKey, rotateKey, updateKeyLimits } from '#src/auth/keys.ts';
import { SCOPES } from '#src/auth/scopes.ts';
import { omitUndefined } from '#src/core/omit-undefined.ts';
import type { Database } from '#src/database/connect.ts';
import { ALL_ACCOUNTS } from '#src/database/reach.ts';
import { findDevice } from '#src/devices/store.ts';
import { runAsOperator } from '#src/users/audit.ts';
import { createObjectForUser } from './nouns/as-operator.ts';
import { type ApiNoun, addDeleteCommand, addListCommand, printResponse } from './nouns/verbs.ts';
import { printResult, runOnServiceDatabase } from './running-service.ts';

/** Registers `energy keys …`, which an operator runs on the machine of the running service. */
export function registerCommands(program: Command): void {
  const keys = program.command('keys');
  keys
    .command('create')
    .description('create a key of a user; it is shown once')
    .option(
      '--user <user>',
      'owner of the key: a user_id or an e-mail address (default with --device: the owner of the device)',
    )
    .option('--device, --device-id <device_id>', 'limit the key to writing the readings of this device')
    .option('--name <name>', 'name of the key')
    .option('--scopes <a,b>', `scopes of the key, of ${SCOPES.join(', ')} (default: all except readings:…)`)
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
    .option('--overlap <24h>', 'time for which the old key stays valid, at most 30d', overlapMs)
    .option('--expires <90d>', 'time until the new key expires, in days or hours', lifetimeMs)
    .option('--json', 'print one JSON object')
    .action(rotate);
  addKeyCommands(keys);
}

interface NewKey {
  user?: string;
  deviceId?: string;
  name?: string;
  scopes?: string;
  expires?: number;
  allow?: string[];
  json?: boolean;
}

const create = ({ user, deviceId, name, scopes, expires, allow, json }: NewKey) =>
  runOnServiceDatabase(async (db, config) => {
    const owner = user ?? (await findDeviceOwner(db, deviceId));
    const typed = omitUndefined({
      device_id: deviceId,
      name,
      scopes,
      expires_at: expires === undefined ? undefined : new Date(Date.now() + expires).toISOString(),
      allowed_addresses: allow && JSON.stringify(allow),
    });
    const what = `device ${deviceId} that ${owner} can access`;
    const made = await createObjectForUser(createKey, { user: owner, ...typed }, { db, config, what });
    const { key_id, key, allowed_addresses, ...others } = made as z.output<typeof createdKeySchema>;
    // The JSON object has the documented members, and `allowed_addresses` if there are any.
    const shown = { key_id, key, ...others, ...(allowed_addresses.length > 0 && { allowed_addresses }) };
    printResult(json, shown, `Key ${key_id}, shown only once:\n\n  ${key}\n`);
  });

/** Returns the owner of the device to which a new key is limited. Throws an error with advice if there is no such device. */
async function findDeviceOwner(db: Database, deviceId: string | undefined): Promise<string> {
  if (deviceId === undefined) throw new Error('Name --user, --device or both.');
  const device = await findDevice(db, ALL_ACCOUNTS, deviceId);
  if (!device) throw new Error(`There is no device ${deviceId}`);
  return device.user_id;
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

/** Validates a list of addresses and networks by the rules of the HTTP API. */
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

function overlapMs(text: string): number {
  const ms = durationMs(text);
  if (ms > MAX_OVERLAP_HOURS * 3_600_000) throw new InvalidArgumentError(`Must be at most ${MAX_OVERLAP_HOURS}h`);
  return ms;
}

function lifetimeMs(text: string): number {
  const ms = durationMs(text);
  if (ms === 0) throw new InvalidArgumentError('Must be more than 0, because the key would have expired already');
  return ms;
}

const KEY: ApiNoun = {
  name: 'key',
  id: 'key_id',
  columns: ['key_id', 'prefix', 'name', 'last_used_at', 'expires_at', 'scopes'],
};

/** Registers `energy keys list|get|delete`. */
export function addKeyCommands(keys: Command): void {
  addListCommand(keys, KEY, listKeys, { ofUser: true });
  keys
    .command('get <key_id>')
    .description('show one key, without the secret key itself')
    .option('--json', 'print one JSON object')
    .action((keyId: string, { json }: { json?: boolean }) =>
      runOnServiceDatabase(async (db) => {
        const row = await findActiveKey(db, ALL_ACCOUNTS, keyId);
        if (!row) throw new Error(`There is no valid key ${keyId}`);
        printResponse({ ...keyToResponse(row), user_id: row.user_id }, json);
      }),
    );
  addDeleteCommand(keys, KEY, revokeKeyOperation, 'like energy keys revoke, without confirmation');
}
