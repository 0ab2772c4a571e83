import { isDeepStrictEqual } from 'node:util';
import type { FieldError } from '#src/core/errors.ts';
import type { SaidOfChannel } from '#src/devices/channels.ts';
import { withWords } from '#src/devices/channels.ts';
import { bridgeFirst } from '#src/devices/gateways.ts';
import type { DeviceSettings } from '#src/devices/store.ts';

/** A row of an import: a device, and whose it is. */
export interface ImportRow {
  /** What it is called in a mistake: `line 3`, or its place in a list. */
  name: string;
  /** Of both exactly one, or neither: the caller's own. */
  userId?: string;
  email?: string;
  settings: DeviceSettings;
  channels?: readonly SaidOfChannel[];
  /** One that was heard through a gateway. */
  discoveryId?: string;
}

/** A device that is there, as far as an import compares it. */
export type KnownDevice = {
  device_id: string;
  user_id: string;
  imported_as: string | null;
  channels: Words;
} & Required<Omit<DeviceSettings, 'decoder_config' | 'certificate_sha256' | 'placement'>> & {
    decoder_config: unknown;
    placement: string;
  };
type Words = Parameters<typeof withWords>[0];

/** What an import finds. */
export interface Known {
  /** Id of the account that a row names; undefined where there is none within reach. */
  ownerOf(row: ImportRow): string | undefined;
  /** Rows of whose owners an account is made: they have no devices yet. */
  isNewOwner(row: ImportRow): boolean;
  /** Rows whose address is that of an account out of reach, where accounts are made. */
  isTaken(row: ImportRow): boolean;
  /** How accounts would be made, where they are not: `--create-users`. Nobody is told of what is not for him. */
  toMakeOwners?: string | undefined;
  devices: readonly KnownDevice[];
  /** What was heard through gateways of the owners, with what it is paired as. */
  discovered: readonly { discovery_id: string; user_id: string; device_id: string | null; awaits: string | null }[];
}

/** What an import does. */
export interface ImportPlan {
  create: ImportRow[];
  /** Devices that are there, with the members of which the row says something else: they are left as they are. */
  existing: { row: ImportRow; deviceId: string; members: string[] }[];
  mistakes: FieldError[];
}

const NO_SUCH_USER = 'there is no such user';

/** What a row without a name of its own is found by when it comes again. */
export const importedAs = ({ type, location }: { type: string; location: string }): string =>
  JSON.stringify([type, location]);

/**
 * Decides what becomes of the rows of an import, all of which are valid by themselves. Pure. A row is the device of its owner with the
 * same `external_id`; without one that which such a row made before, or that of the same type and location that has no `external_id`,
 * either. It is never changed: what an owner has set since stays.
 */
export function planImport(rows: readonly ImportRow[], known: Known): ImportPlan {
  const plan: ImportPlan = { create: [], existing: [], mistakes: [] };
  const byKey = new Map<string, KnownDevice>();
  const byId = new Map(known.devices.map((one) => [one.device_id, one]));
  // What an import made goes before what only looks the same.
  for (const isOfImport of [false, true]) {
    for (const one of known.devices) {
      if (one.external_id !== null) byKey.set(keyOf(one.user_id, { external: one.external_id }), one);
      else if (isOfImport === (one.imported_as !== null))
        byKey.set(keyOf(one.user_id, { row: one.imported_as ?? importedAs(one) }), one);
    }
  }
  const discovered = new Map(known.discovered.map((one) => [one.discovery_id, one]));
  const firstOf = new Map<string, string>();
  const wrong = (row: ImportRow, member: string, message: string) =>
    void plan.mistakes.push({ field: `${row.name}.${member}`, message });

  for (const row of rows) {
    const isNew = known.isNewOwner(row);
    const owner = isNew ? `new ${row.email?.toLowerCase()}` : known.ownerOf(row);
    if (owner === undefined) {
      if (row.email === undefined) wrong(row, 'user_id', NO_SUCH_USER);
      else if (known.isTaken(row)) wrong(row, 'email', 'is the address of an account that you do not manage');
      else if (known.toMakeOwners === undefined) wrong(row, 'email', NO_SUCH_USER);
      else wrong(row, 'email', `${NO_SUCH_USER}; with ${known.toMakeOwners} an account is made for the address`);
      continue;
    }
    const key = keyOf(owner, namedBy(row));
    const first = firstOf.get(key);
    if (first !== undefined) {
      wrong(row, key.includes('"external"') ? 'external_id' : 'location', `is the same device as ${first}`);
      continue;
    }
    firstOf.set(key, row.name);
    const found = row.discoveryId === undefined ? undefined : discovered.get(row.discoveryId);
    if (row.discoveryId !== undefined && found?.user_id !== owner) {
      wrong(row, 'discovery_id', 'the user has no such discovered device');
      continue;
    }
    if (found && found.awaits !== null) {
      wrong(row, 'discovery_id', bridgeFirst(found.awaits));
      continue;
    }
    const there = found ? byId.get(found.device_id ?? '') : byKey.get(key);
    const above = row.settings.upstream_device_id ?? null;
    if (above !== null && (byId.get(above)?.user_id !== owner || above === there?.device_id)) {
      wrong(row, 'upstream_device_id', 'must be another device of the same user');
      continue;
    }
    if (there) plan.existing.push({ row, deviceId: there.device_id, members: differing(row, there) });
    else plan.create.push(row);
  }
  return plan;
}

type NamedBy = { external: string } | { row: string } | { discovery: string };

function namedBy({ settings, discoveryId }: ImportRow): NamedBy {
  if (discoveryId !== undefined) return { discovery: discoveryId };
  return settings.external_id == null ? { row: importedAs(settings) } : { external: settings.external_id };
}

const keyOf = (owner: string, by: NamedBy): string => JSON.stringify([by, owner]);

/** Members that a row gives, and its device has otherwise. */
function differing({ settings, channels }: ImportRow, there: KnownDevice): string[] {
  const given = Object.entries(settings).filter(([, value]) => value !== undefined);
  const members = given
    .filter(([name, value]) => !isDeepStrictEqual(there[name as keyof KnownDevice], value))
    .map(([name]) => name);
  const isSaid = channels === undefined || isDeepStrictEqual(withWords(there.channels, channels), there.channels);
  return isSaid ? members : [...members, 'channels'];
}
