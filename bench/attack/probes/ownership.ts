import { randomBytes } from 'node:crypto';
import { type ServerAddress, sendRequest } from '../client.ts';
import { assertProbeCondition, defineProbe, expectAllowedValue, type Probe } from '../probe.ts';
import type { AttackedInstallation, Person } from '../world.ts';

/** Creates a utility and a home that it enrolled, with a meter that the utility paired. */
async function meteredHome(world: AttackedInstallation): Promise<{ utility: Person; home: Person; deviceId: string }> {
  const utility = await world.person('utility');
  const home = await world.person('homeowner', { enrolledBy: utility });
  const body = { user_id: home.userId, type: 'smart_meter', location: 'cellar' };
  const { device_id: deviceId } = (await world.must('POST', '/v1/devices', { key: utility.key, body })).json;
  return { utility, home, deviceId };
}

/** Requests that a home's owner could send to change the billed consumption of a meter; some of them have a body. */
const LOWERING: readonly [what: string, method: string, path: string, body?: object][] = [
  [
    'excludes its readings',
    'POST',
    '/edits',
    { action: 'exclude', start: '2026-01-01T00:00:00Z', end: '2026-01-02T00:00:00Z', reason: 'x' },
  ],
  [
    'ignores its register',
    'PATCH',
    '',
    { channels: [{ native_name: 'import energy_total_kwh', counts_as: 'ignored' }] },
  ],
  ['leaves it out of the home', 'PATCH', '', { placement: 'excluded' }],
  ['calls it something else', 'PATCH', '', { type: 'solar_inverter' }],
  ['lowers its limit', 'PATCH', '', { limit_kw: 0.001 }],
  ['lets its register roll over', 'PATCH', '', { register_max_kwh: 1 }],
  ['moves its time zone', 'PATCH', '', { timezone: 'Asia/Tokyo' }],
  ['changes how it is read', 'PATCH', '', { decoder_config: { unit: 'Wh' } }],
  ['takes it over', 'PATCH', '', { managed_by: 'owner' }],
  ['releases it', 'POST', '/release'],
  ['deletes it, to pair it again', 'DELETE', ''],
];

/** Maximum number of guessed serial numbers that the service checks per network in a minute. */
const MAX_REFUSED = 10;

async function guessSerials(world: AttackedInstallation, guesses: number): Promise<void> {
  const { key } = await world.person('utility');
  const lot = { name: 'lot', max_devices: 1_000 };
  const batch = (await world.must('POST', '/v1/provisioning-batches', { key, body: lot })).json;
  const from = world.address();
  const answers = await Promise.all(
    Array.from({ length: guesses }, (_, index) => {
      const body = { batch_id: batch.batch_id, secret: batch.mqtt.password, serial: `guess-${index}` };
      return sendRequest(world.apis[index % world.apis.length] as ServerAddress, 'POST', '/provisioning/claim', {
        body,
        from,
      });
    }),
  );
  const decided = answers.filter(({ status }) => status !== 429).length;
  assertProbeCondition(decided <= MAX_REFUSED, `${decided} of ${guesses} guesses at once were decided`);
}

export const OWNERSHIP_PROBES: readonly Probe[] = [
  defineProbe('a homeowner registers no certificate, of its own devices neither', async (world) => {
    const { home } = await meteredHome(world);
    const { deviceId } = await world.device(home);
    const pairedByHome = { type: 'meter', location: 'x' };
    const own = (await world.must('POST', '/v1/devices', { key: home.key, body: pairedByHome })).json.device_id;
    for (const id of [deviceId, own])
      for (const certificate_sha256 of [randomBytes(32).toString('hex'), null]) {
        const sent = { key: home.key, body: { certificate_sha256 } };
        expectAllowedValue(
          (await world.ask('PATCH', `/v1/devices/${id}`, sent)).status,
          [403],
          'PATCH of the certificate',
        );
      }
  }),
  defineProbe('a certificate is registered with one device', async (world) => {
    const { utility, home, deviceId } = await meteredHome(world);
    const { deviceId: other } = await world.device(home);
    const sent = { key: utility.key, body: { certificate_sha256: randomBytes(32).toString('hex') } };
    expectAllowedValue((await world.ask('PATCH', `/v1/devices/${deviceId}`, sent)).status, [200], 'of the utility');
    expectAllowedValue((await world.ask('PATCH', `/v1/devices/${other}`, sent)).status, [409], 'of another device');
  }),
  ...LOWERING.map(([what, method, path, body]) =>
    defineProbe(`a home does not lower its own bill: it never ${what}, of a meter of its utility`, async (world) => {
      const { home, deviceId, utility } = await world.once('a metered home', () => meteredHome(world));
      const at = `/v1/devices/${deviceId}${path}`;
      const sent = body === undefined ? { key: home.key } : { key: home.key, body };
      expectAllowedValue((await world.ask(method, at, sent)).status, [403], `${method} ${at}`);
      const { json } = await world.must('GET', `/v1/devices/${deviceId}`, { key: utility.key });
      expectAllowedValue(json.managed_by, ['utility'], 'managed_by afterwards');
    }),
  ),
  defineProbe('a home revokes no edit of its utility', async (world) => {
    const { home, utility, deviceId } = await meteredHome(world);
    const path = `/v1/devices/${deviceId}/edits`;
    const end = new Date(Date.now() - 3_600_000);
    const start = new Date(end.getTime() - 3_600_000).toISOString();
    const body = { action: 'exclude', start, end: end.toISOString(), reason: 'x' };
    const { edit_id } = (await world.must('POST', path, { key: utility.key, body })).json;
    expectAllowedValue(
      (await world.ask('DELETE', `${path}/${edit_id}`, { key: home.key })).status,
      [403],
      'DELETE of the edit',
    );
    const [edit] = (await world.must('GET', path, { key: home.key })).json;
    expectAllowedValue(edit?.status, ['in_force'], 'the edit afterwards');
  }),
  defineProbe('of 30 serials that are guessed at once ten are decided', (world) => guessSerials(world, 30)),
  defineProbe(
    'of 200 serials that are guessed at once, over all processes, ten are decided',
    (world) => guessSerials(world, 200),
    {
      kind: 'alone',
    },
  ),
];
