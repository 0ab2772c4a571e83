import { isDeepStrictEqual } from 'node:util';
import type { FieldError } from '#src/core/errors.ts';
import type { ChannelSettingPatch } from '#src/devices/channels.ts';
import { mergeChannelSettings } from '#src/devices/channels.ts';
import { explainUnbridgedTopic } from '#src/devices/gateways.ts';
import type { DeviceSettings } from '#src/devices/store.ts';

export interface DeviceImportRow {
  /** Name of the row in error messages: `line 3`, or its position in a list. */
  name: string;
  /** Owner of the device, by `userId` or `email`. Default: the caller. */
  userId?: string;
  email?: string;
  settings: DeviceSettings;
  channels?: readonly ChannelSettingPatch[];
  /** Id of a device that was discovered through a gateway. */
  discoveryId?: string;
}

/** An existing device, with the members that an import compares. */
export type ExistingDevice = {
  device_id: string;
  user_id: string;
  imported_as: string | null;
  channels: Words;
} & Required<Omit<DeviceSettings, 'decoder_config' | 'certificate_sha256' | 'placement'>> & {
    decoder_config: unknown;
    placement: string;
  };
type Words = Parameters<typeof mergeChannelSettings>[0];

export interface ExistingAccountsAndDevices {
  /** Returns the id of the account that a row names. Undefined if the caller can access no such account. */
  ownerOf(row: DeviceImportRow): string | undefined;
  /** Whether a new account is created for the row's owner. */
  isNewOwner(row: DeviceImportRow): boolean;
  /** Whether the import may create accounts, but the row's address belongs to an account that the caller cannot access. */
  isTaken(row: DeviceImportRow): boolean;
  /**
   * Option that would create accounts, such as `--create-users`, if it was not given. Undefined for a caller who may not create accounts.
   */
  toMakeOwners?: string | undefined;
  devices: readonly ExistingDevice[];
  /** Devices discovered through the owners' gateways, with the id of the paired device. */
  discovered: readonly { discovery_id: string; user_id: string; device_id: string | null; awaits: string | null }[];
}

export interface ImportPlan {
  create: DeviceImportRow[];
  /** Rows whose device already exists with other settings. The import does not change these devices. */
  existing: { row: DeviceImportRow; deviceId: string; members: string[] }[];
  errors: FieldError[];
}

const NO_SUCH_USER = 'there is no such user';

/** Returns the key by which a later import recognises a row without an `external_id`. */
export const getImportedRowKey = ({ type, location }: { type: string; location: string }): string =>
  JSON.stringify([type, location]);

/**
 * Decides for each row of an import whether a device is created. A row matches the device of its owner with the same `external_id`. Without
 * one, it matches a device that such a row created earlier, or a device with the same type and location. Existing devices are never
 * changed.
 */
export function planImport(rows: readonly DeviceImportRow[], known: ExistingAccountsAndDevices): ImportPlan {
  const plan: ImportPlan = { create: [], existing: [], errors: [] };
  const byKey = new Map<string, ExistingDevice>();
  const byId = new Map(known.devices.map((one) => [one.device_id, one]));
  // A device from an earlier import takes precedence over a device with only the same type and location.
  for (const isOfImport of [false, true]) {
    for (const one of known.devices) {
      if (one.external_id !== null) byKey.set(keyOf(one.user_id, { external: one.external_id }), one);
      else if (isOfImport === (one.imported_as !== null))
        byKey.set(keyOf(one.user_id, { row: one.imported_as ?? getImportedRowKey(one) }), one);
    }
  }
  const discovered = new Map(known.discovered.map((one) => [one.discovery_id, one]));
  const firstOf = new Map<string, string>();
  const wrong = (row: DeviceImportRow, member: string, message: string) =>
    void plan.errors.push({ field: `${row.name}.${member}`, message });

  for (const row of rows) {
    const isNew = known.isNewOwner(row);
    const owner = isNew ? `new ${row.email?.toLowerCase()}` : known.ownerOf(row);
    if (owner === undefined) {
      if (row.email === undefined) wrong(row, 'user_id', NO_SUCH_USER);
      else if (known.isTaken(row)) wrong(row, 'email', 'is the address of an account that you do not manage');
      else if (known.toMakeOwners === undefined) wrong(row, 'email', NO_SUCH_USER);
      else wrong(row, 'email', `${NO_SUCH_USER}; with ${known.toMakeOwners} an account is created for the address`);
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
      wrong(row, 'discovery_id', explainUnbridgedTopic(found.awaits));
      continue;
    }
    const existing = found ? byId.get(found.device_id ?? '') : byKey.get(key);
    const above = row.settings.upstream_device_id ?? null;
    if (above !== null && (byId.get(above)?.user_id !== owner || above === existing?.device_id)) {
      wrong(row, 'upstream_device_id', 'must be another device of the same user');
      continue;
    }
    if (existing)
      plan.existing.push({ row, deviceId: existing.device_id, members: findDifferentMembers(row, existing) });
    else plan.create.push(row);
  }
  return plan;
}

type NamedBy = { external: string } | { row: string } | { discovery: string };

function namedBy({ settings, discoveryId }: DeviceImportRow): NamedBy {
  if (discoveryId !== undefined) return { discovery: discoveryId };
  return settings.external_id == null ? { row: getImportedRowKey(settings) } : { external: settings.external_id };
}

const keyOf = (owner: string, by: NamedBy): string => JSON.stringify([by, owner]);

function findDifferentMembers({ settings, channels }: DeviceImportRow, existing: ExistingDevice): string[] {
  const definedSettings = Object.entries(settings).filter(([, value]) => value !== undefined);
  const members = definedSettings
    .filter(([name, value]) => !isDeepStrictEqual(existing[name as keyof ExistingDevice], value))
    .map(([name]) => name);
  const areChannelsEqual =
    channels === undefined || isDeepStrictEqual(mergeChannelSettings(existing.channels, channels), existing.channels);
  return areChannelsEqual ? members : [...members, 'channels'];
}
