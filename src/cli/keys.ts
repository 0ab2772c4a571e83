import { type Command, InvalidArgumentError } from 'commander';
import type { z } from 'zod';
import type { AnyOperation } from '#src/api/operation.ts';
import { createKey, listKeys, revokeKey, rotateKey, updateKey } from '#src/api/v1/keys/operations.ts';
import { type createdKeySchema, type keySchema, keyToResponse, type rotatedKeySchema } from '#src/api/v1/keys/shape.ts';
import { MAX_ALLOWED_ADDRESSES, normaliseNetwork } from '#src/auth/allowed-addresses.ts';
import { findActiveKey, MAX_KEY_ROTATION_OVERLAP_HOURS, type OwnedKey } from '#src/auth/keys.ts';
import { SCOPES } from '#src/auth/scopes.ts';
import type { Config } from '#src/config/load.ts';
import { omitUndefined } from '#src/core/omit-undefined.ts';
import { DAY_MS, HOUR_MS } from '#src/core/units.ts';
import type { Database } from '#src/database/connect.ts';
import { ALL_ACCOUNTS } from '#src/database/reach.ts';
import { findDevice } from '#src/devices/store.ts';
import { callOperation, createObjectForUser } from './nouns/as-operator.ts';
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
      expires_at: expiryAfter(expires),
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

/** Calls an operation on a key with the access of its owner, because only a member may change the member's keys for a home. */
async function callOnKey(
  definition: AnyOperation,
  { keyId, body }: { keyId: string; body?: Record<string, unknown> },
  { db, config }: { db: Database; config: Config },
): Promise<unknown> {
  const { user_id: userId } = await findKeyOrThrow(db, keyId);
  const request = { userId, params: { key_id: keyId }, ...omitUndefined({ body }) };
  return (await callOperation(definition, request, { db, config, what: `valid key ${keyId}` })).answer;
}

async function findKeyOrThrow(db: Database, keyId: string): Promise<OwnedKey> {
  const key = await findActiveKey(db, ALL_ACCOUNTS, keyId);
  if (!key) throw new Error(`There is no valid key ${keyId}`);
  return key;
}

const limit = (keyId: string, o: { allow?: string[]; expires?: number; json?: boolean }) =>
  runOnServiceDatabase(async (db, config) => {
    if (o.allow === undefined && o.expires === undefined) throw new Error('Name --allow, --expires or both.');
    const body = omitUndefined({ allowed_addresses: o.allow, expires_at: expiryAfter(o.expires) });
    const limited = await callOnKey(updateKey, { keyId, body }, { db, config });
    const { allowed_addresses, expires_at } = limited as z.output<typeof keySchema>;
    const places = allowed_addresses.join(', ') || 'everywhere';
    const end = expires_at === null ? '' : `, until ${expires_at}`;
    printResult(
      o.json,
      { key_id: keyId, allowed_addresses, expires_at },
      `Key ${keyId} may be used from ${places}${end}.`,
    );
  });

const revoke = (keyId: string, { json }: { json?: boolean }) =>
  runOnServiceDatabase(async (db, config) => {
    await callOnKey(revokeKey, { keyId }, { db, config });
    printResult(json, { key_id: keyId, revoked: true }, `Key ${keyId} is revoked.`);
  });

const rotate = (keyId: string, o: { overlap?: number; expires?: number; json?: boolean }) =>
  runOnServiceDatabase(async (db, config) => {
    const overlap_hours = o.overlap === undefined ? undefined : o.overlap / HOUR_MS;
    const body = omitUndefined({ overlap_hours, expires_at: expiryAfter(o.expires) });
    const rotated = (await callOnKey(rotateKey, { keyId, body }, { db, config })) as z.output<typeof rotatedKeySchema>;
    const { key_id, key, old_expires_at } = rotated;
    printResult(
      o.json,
      rotated,
      `Key ${key_id}, shown only once:\n\n  ${key}\n\n${keyId} stays valid until ${old_expires_at}.`,
    );
  });

const expiryAfter = (ms: number | undefined): string | undefined =>
  ms === undefined ? undefined : new Date(Date.now() + ms).toISOString();

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
  return Number(number) * (unit === 'd' ? DAY_MS : HOUR_MS);
}

function overlapMs(text: string): number {
  const ms = durationMs(text);
  if (ms > MAX_KEY_ROTATION_OVERLAP_HOURS * HOUR_MS)
    throw new InvalidArgumentError(`Must be at most ${MAX_KEY_ROTATION_OVERLAP_HOURS}h`);
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
function addKeyCommands(keys: Command): void {
  addListCommand(keys, KEY, listKeys, { ofUser: true });
  keys
    .command('get <key_id>')
    .description('show one key, without the secret key itself')
    .option('--json', 'print one JSON object')
    .action((keyId: string, { json }: { json?: boolean }) =>
      runOnServiceDatabase(async (db) => {
        const row = await findKeyOrThrow(db, keyId);
        printResponse({ ...keyToResponse(row), user_id: row.user_id }, json);
      }),
    );
  addDeleteCommand(keys, KEY, revokeKey, 'like energy keys revoke, without confirmation');
}
