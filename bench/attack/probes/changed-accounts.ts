import { sendRequest } from '../client.ts';
import { assertProbeCondition, defineProbe, expectAllowedValue, type Probe } from '../probe.ts';
import { confirmEmail, requestSessionStatus, signIn, waitForConfirmationToken } from '../sign-in.ts';
import { type AttackedInstallation, pause } from '../world.ts';

const MAIL = { needs: ['dataDir'] as const };

/** Fails unless every API process rejects a write with this key. */
export async function expectKeyRejectedEverywhere(world: AttackedInstallation, key: string): Promise<void> {
  for (const api of world.apis)
    expectAllowedValue(
      (await sendRequest(api, 'POST', '/v1/gateways', { key, body: { name: 'x' } })).status,
      [401],
      'the former key',
    );
}

/** Probes that keys of an account lose their access when the account changes hands or gains rights. */
export const CHANGED_ACCOUNT_PROBES: readonly Probe[] = [
  defineProbe('a requested e-mail address is not the account’s, and takes nobody’s place', async (world) => {
    const attacker = await world.person('homeowner');
    const boss = `boss-of-${attacker.email}`;
    const sent = { key: attacker.key, body: { email: boss } };
    const { json, status } = await world.ask('PATCH', `/v1/users/${attacker.userId}`, sent);
    expectAllowedValue(status, [200], 'PATCH of the e-mail');
    expectAllowedValue(json.email, [attacker.email], 'the address of the account');
    // The attacker's account still has its own e-mail address, so another account can be created with the address that the attacker
    // requested.
    await world.must('POST', '/v1/users', { body: { email: boss, role: 'homeowner' } });
  }),
  defineProbe('a changed role ends keys that were made before', async (world) => {
    for (const role of ['admin', 'utility']) {
      const { userId, key } = await world.person('homeowner');
      expectAllowedValue((await world.ask('GET', '/v1/devices', { key })).status, [200], 'a key that is valid');
      await world.must('PATCH', `/v1/users/${userId}`, { body: { role } });
      await expectKeyRejectedEverywhere(world, key);
    }
  }),
  defineProbe(
    'a changed role ends keys for reads, too, within ten seconds',
    async (world) => {
      const { userId, key } = await world.person('homeowner');
      for (const api of world.apis) await sendRequest(api, 'GET', '/v1/users', { key });
      await world.must('PATCH', `/v1/users/${userId}`, { body: { role: 'admin' } });
      // Until a process removes the key from its cache, the key may read with its previous rights, but must not gain rights.
      for (const api of world.apis) {
        const { status, json } = await sendRequest(api, 'GET', '/v1/users?limit=200', { key });
        assertProbeCondition(status === 401 || json.length === 1, `the former key reads ${json?.length} accounts`);
      }
      await pause(10_000);
      for (const api of world.apis)
        expectAllowedValue(
          (await sendRequest(api, 'GET', '/v1/users', { key })).status,
          [401],
          'a read after ten seconds',
        );
    },
    { kind: 'waits' },
  ),
  defineProbe(
    'the first sign-in to an account that a utility enrolled ends keys that were made for it',
    async (world) => {
      const utility = await world.person('utility');
      const home = await world.person('homeowner', { enrolledBy: utility });
      const body = { user_id: home.userId };
      const made = (await world.must('POST', '/v1/keys', { key: utility.key, body })).json;
      const session = await signIn(world, home.email);
      for (const key of [home.key, made.key]) await expectKeyRejectedEverywhere(world, key);
      expectAllowedValue(await requestSessionStatus(world, session), [200], 'the session that ended them');
    },
    MAIL,
  ),
  defineProbe(
    'an e-mail address that a utility requested is not confirmed once its homeowner has signed in',
    async (world) => {
      const utility = await world.person('utility');
      const home = await world.person('homeowner', { enrolledBy: utility });
      const email = `of-the-utility-${home.email}`;
      await world.must('PATCH', `/v1/users/${home.userId}`, { key: utility.key, body: { email } });
      const token = await waitForConfirmationToken(world, email);
      await signIn(world, home.email);
      expectAllowedValue((await confirmEmail(world, token)).status, [422], 'the link of the mail');
    },
    MAIL,
  ),
  defineProbe(
    'an e-mail address that a revoked key requested is not confirmed',
    async (world) => {
      const { userId, keyId, key, email } = await world.person('homeowner');
      await world.must('PATCH', `/v1/users/${userId}`, { key, body: { email: `thief-${email}` } });
      const token = await waitForConfirmationToken(world, `thief-${email}`);
      await world.must('DELETE', `/v1/keys/${keyId}`);
      expectAllowedValue((await confirmEmail(world, token)).status, [422], 'the link of the mail');
    },
    MAIL,
  ),
];
