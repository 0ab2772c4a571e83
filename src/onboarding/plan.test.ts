import { describe, expect, test } from 'vitest';
import {
  type DeviceImportRow,
  type ExistingAccountsAndDevices,
  type ExistingDevice,
  getImportedRowKey,
  planImport,
} from './plan.ts';

const device = (more: Partial<ExistingDevice>): ExistingDevice => ({
  device_id: 'dev_1',
  user_id: 'usr_1',
  type: 'meter',
  location: 'cellar',
  limit_kw: 100,
  register_max_kwh: null,
  max_gap_minutes: 90,
  timezone: null,
  placement: 'grid',
  upstream_device_id: null,
  external_id: null,
  imported_as: null,
  decoder_config: {},
  channels: {},
  ...more,
});
const row = (settings: Partial<DeviceImportRow['settings']>, more: Partial<DeviceImportRow> = {}): DeviceImportRow => ({
  name: 'line 2',
  userId: 'usr_1',
  settings: { type: 'meter', location: 'cellar', ...settings },
  ...more,
});
const known = (
  devices: ExistingDevice[] = [],
  more: Partial<ExistingAccountsAndDevices> = {},
): ExistingAccountsAndDevices => ({
  ownerOf: ({ userId }) => (userId === 'usr_1' || userId === 'usr_2' ? userId : undefined),
  isNewOwner: () => false,
  isTaken: () => false,
  devices,
  discovered: [],
  ...more,
});
const outcome = (rows: DeviceImportRow[], about: ExistingAccountsAndDevices) => {
  const { create, existing, errors: mistakes } = planImport(rows, about);
  return { create: create.length, existing: existing.map(({ deviceId }) => deviceId), mistakes };
};

describe('matches a row with an existing device of its owner', () => {
  test.each([
    ['none is there', row({}), [], []],
    ['the same external_id', row({ external_id: 'S1', location: 'attic' }), [device({ external_id: 'S1' })], ['dev_1']],
    ['another external_id', row({ external_id: 'S2' }), [device({ external_id: 'S1' })], []],
    [
      'the external_id of somebody else',
      row({ external_id: 'S1' }),
      [device({ external_id: 'S1', user_id: 'usr_2' })],
      [],
    ],
    ['only one of them has an external_id', row({}), [device({ external_id: 'S1' })], []],
    ['the same type and location', row({}), [device({})], ['dev_1']],
    ['another location', row({ location: 'attic' }), [device({})], []],
    [
      'it was imported so, and its owner called it otherwise since',
      row({}),
      [device({ location: 'Keller', imported_as: getImportedRowKey({ type: 'meter', location: 'cellar' }) })],
      ['dev_1'],
    ],
    [
      'what was imported so goes before what is called so now',
      row({}),
      [
        device({
          device_id: 'dev_0',
          location: 'Keller',
          imported_as: getImportedRowKey({ type: 'meter', location: 'cellar' }),
        }),
        device({}),
      ],
      ['dev_0'],
    ],
  ])('%s', (_name, one, devices, existing) => {
    expect(outcome([one], known(devices))).toEqual({ create: 1 - existing.length, existing, mistakes: [] });
  });

  test('lists the members that differ, among those that the row sets', () => {
    const there = device({ limit_kw: 50, channels: { a: { counts_as: 'import' } } });
    const same = row({ limit_kw: 50 }, { channels: [{ native_name: 'a', counts_as: 'import' }] });
    const other = row(
      { limit_kw: 60, placement: 'storage' },
      { channels: [{ native_name: 'a', counts_as: 'export' }] },
    );
    expect(planImport([same], known([there])).existing[0]?.members).toEqual([]);
    expect(planImport([other], known([there])).existing[0]?.members).toEqual(['limit_kw', 'placement', 'channels']);
  });
});

test('names the row in every error', () => {
  const rows = [
    row({}, { userId: 'usr_9' }),
    row({}, { name: 'line 3' }),
    row({}, { name: 'line 4' }),
    row({ external_id: 'S' }, { name: 'line 5' }),
    row({ external_id: 'S', location: 'attic' }, { name: 'line 6' }),
    row({ location: 'b', upstream_device_id: 'dev_9' }, { name: 'line 7' }),
    row({ location: 'c' }, { name: 'line 8', discoveryId: 'dsc_1' }),
  ];
  expect(planImport(rows, known()).errors).toEqual([
    { field: 'line 2.user_id', message: 'there is no such user' },
    { field: 'line 4.location', message: 'is the same device as line 3' },
    { field: 'line 6.external_id', message: 'is the same device as line 5' },
    { field: 'line 7.upstream_device_id', message: 'must be another device of the same user' },
    { field: 'line 8.discovery_id', message: 'the user has no such discovered device' },
  ]);
});

test('names the option that would create an account for an unknown e-mail address', () => {
  const nobody = row({}, { email: 'a@example.com' });
  delete nobody.userId;
  const errorsOf = (more: Partial<ExistingAccountsAndDevices>) =>
    planImport([nobody], known([], { ownerOf: () => undefined, ...more })).errors;
  const message = 'there is no such user; with --create-users an account is created for the address';
  expect(errorsOf({ toMakeOwners: '--create-users' })).toEqual([{ field: 'line 2.email', message }]);
  expect(errorsOf({})).toEqual([{ field: 'line 2.email', message: 'there is no such user' }]);
  expect(errorsOf({ toMakeOwners: '--create-users', isTaken: () => true })[0]?.message).toMatch(/you do not manage/);
  // An import creates accounts only for e-mail addresses, not for unknown user ids.
  const byId = planImport([row({}, { userId: 'usr_9' })], known([], { toMakeOwners: '--create-users' }));
  expect(byId.errors[0]?.message).toBe('there is no such user');
});

test('detects duplicate rows of a new owner as it does for an existing one', () => {
  const about = known([], { isNewOwner: ({ email }) => email !== undefined });
  const rows = [
    { name: 'line 2', email: 'A@example.com', settings: { type: 'meter', location: 'x' } },
    { name: 'line 3', email: 'a@example.com', settings: { type: 'meter', location: 'x' } },
    { name: 'line 4', email: 'b@example.com', settings: { type: 'meter', location: 'x' } },
  ];
  expect(outcome(rows, about)).toMatchObject({ create: 2, mistakes: [{ field: 'line 3.location' }] });
});

test('pairs a discovered device only once', () => {
  const discovery = { discovery_id: 'dsc_1', user_id: 'usr_1', awaits: null };
  const one = row({}, { discoveryId: 'dsc_1' });
  expect(outcome([one], known([], { discovered: [{ ...discovery, device_id: null }] }))).toMatchObject({ create: 1 });
  const paired = known([device({ location: 'elsewhere' })], { discovered: [{ ...discovery, device_id: 'dev_1' }] });
  expect(outcome([one], paired)).toMatchObject({ create: 0, existing: ['dev_1'] });
});

test('pairs an announced device once it has sent a value', () => {
  const discovered = [{ discovery_id: 'dsc_1', user_id: 'usr_1', device_id: null, awaits: 'SS/#' }];
  expect(outcome([row({}, { discoveryId: 'dsc_1' })], known([], { discovered }))).toEqual({
    create: 0,
    existing: [],
    mistakes: [
      { field: 'line 2.discovery_id', message: 'none of its values has been received yet: bridge SS/# first' },
    ],
  });
});
