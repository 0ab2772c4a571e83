import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase, type Database } from '#src/database/connect.ts';
import { findInvalidCertificates, findLoginOfCertificate } from '#src/devices/certificates.ts';
import { createGateway } from '#src/devices/gateways.ts';
import { createDevice } from '#src/devices/store.ts';
import { createUser } from '#src/users/store.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';

let database: TestDatabase;
let db: Database;
let ids: { mine: string; other: string; gateway: string };
beforeAll(async () => {
  database = await createTestDatabase();
  db = createDatabase(database.pool);
  const { user_id: userId } = await createUser(db, { email: 'home@example.com', role: 'homeowner' });
  const device = async () => (await createDevice(db, { userId, type: 'meter', location: 'x' })).device.device_id;
  const { gateway } = await createGateway(db, { userId, name: 'x' });
  ids = { mine: await device(), other: await device(), gateway: gateway.gateway_id };
});
afterAll(() => database.drop());

type Name = keyof typeof ids;
const shown = 'aa'.repeat(32);
const STATES = ['free', 'registered with it', 'registered with another', 'deleted', 'deleted, and registered'] as const;
type State = (typeof STATES)[number];

async function put(deviceId: string, state: State): Promise<void> {
  const certificate =
    state === 'free' || state === 'deleted' ? null : state === 'registered with another' ? 'bb' : 'aa';
  const sha256 = certificate === null ? null : Buffer.from(certificate.repeat(32), 'hex');
  const deletedAt = state.startsWith('deleted') ? new Date() : null;
  await database.pool.query('UPDATE devices SET certificate_sha256 = NULL WHERE device_id = $1', [deviceId]);
  await database.pool.query('UPDATE devices SET certificate_sha256 = $2, deleted_at = $3 WHERE device_id = $1', [
    deviceId,
    sha256,
    deletedAt,
  ]);
}

/**
 * Returns the device that a certificate identifies, computed independently of the service's code. It is the existing device that the
 * certificate names or, if it names none, the device that is registered with the certificate.
 */
function expected(names: readonly Name[], states: Record<'mine' | 'other', State>): Name | null {
  const lives = (name: Name) => name === 'gateway' || !states[name].startsWith('deleted');
  const named = names.filter(lives);
  const registered = (['mine', 'other'] as const).filter((name) => states[name] === 'registered with it');
  const both = registered.filter((name) => named.length === 0 || named.includes(name));
  if (both[0]) return both[0];
  const free = named.filter((name) => name === 'gateway' || states[name] === 'free');
  return free.length === 1 ? (free[0] as Name) : null;
}

test('a certificate identifies the device that it names, or else the registered one, and other devices’ connections end', async () => {
  const all: Name[][] = [[], ['mine'], ['other'], ['gateway'], ['mine', 'other'], ['mine', 'gateway']];
  for (const mine of STATES)
    for (const other of STATES) {
      // The database allows only one existing device to be registered with a certificate.
      if (mine === other && mine.startsWith('registered')) continue;
      await put(ids.mine, 'free');
      await put(ids.other, other);
      await put(ids.mine, mine);
      for (const names of all) {
        const certificate = { sha256: shown, names: ['serial 42', ...names.map((name) => ids[name])] };
        const is = expected(names, { mine, other });
        const what = `mine is ${mine}, other ${other}, it names ${names.join(' and ') || 'none'}`;
        expect(await findLoginOfCertificate(db, certificate), what).toBe(is && ids[is]);
        for (const name of ['mine', 'other', 'gateway'] as const) {
          const ended = await findInvalidCertificates(db, [{ ...certificate, username: ids[name] }]);
          // If a certificate names several devices, each may keep a connection under its own name.
          if (name === is) expect(ended, `${what}: ${name} stays`).toEqual([]);
          else if (!names.includes(name)) expect(ended, `${what}: ${name} goes`).toEqual([shown]);
        }
      }
    }
});
