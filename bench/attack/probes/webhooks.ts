import { createServer } from 'node:net';
import { assertProbeCondition, defineProbe, expectAllowedValue, type Probe, ProbeSkippedError } from '../probe.ts';
import { pause } from '../world.ts';

/** Addresses that no webhook may be sent to, in different notations. */
const PRIVATE = [
  '127.0.0.1',
  'localhost',
  '127.1',
  '2130706433',
  '0x7f.0.0.1',
  '0177.0.0.1',
  '0.0.0.0',
  '[::1]',
  '[::ffff:127.0.0.1]',
  '[::]',
  'localhost.',
  '127.0.0.1.',
];

const SECRET = 'a secret of the attack';

export const WEBHOOK_PROBES: readonly Probe[] = [
  defineProbe('a webhook to this machine is refused, however its address is written', async (world) => {
    let connections = 0;
    const listener = createServer((socket) => {
      connections++;
      socket.destroy();
    });
    await new Promise<void>((resolve) => listener.listen(0, '::', resolve));
    const { port } = listener.address() as { port: number };
    try {
      const { key } = await world.person('homeowner');
      const ids: string[] = [];
      for (const host of PRIVATE) {
        const body = { event: 'usage.updated', url: `https://${host}:${port}/x`, auth_token: SECRET };
        const { status, json } = await world.ask('POST', '/v1/webhooks', { key, body });
        expectAllowedValue(status, [201, 422], `POST /v1/webhooks to ${host}`);
        if (status === 422) continue;
        ids.push(json.webhook_id);
        expectAllowedValue(
          (await world.ask('POST', `/v1/webhooks/${json.webhook_id}/test`, { key })).status,
          [202],
          'its test',
        );
      }
      for (const id of ids) {
        // Waits for a delivery attempt, because only an attempt shows that the service refuses the address.
        const tried = async () =>
          (await world.must('GET', `/v1/webhooks/${id}/deliveries`, { key })).json[0]?.attempts ?? [];
        for (let turn = 0; (await tried()).length === 0; turn++) {
          if (turn > 60) throw new ProbeSkippedError('no delivery was tried in 15 s: is a worker running?');
          await pause(250);
        }
      }
      assertProbeCondition(connections === 0, `${connections} connections came`);
    } finally {
      listener.close();
    }
  }),
  defineProbe('no answer holds the secret of a webhook', async (world) => {
    const { key } = await world.person('homeowner');
    const body = { event: 'usage.updated', url: 'https://example.com/x', auth_token: SECRET };
    const made = await world.must('POST', '/v1/webhooks', { key, body });
    const patch = { key, body: { auth_token: `${SECRET} 2` } };
    const changed = await world.must('PATCH', `/v1/webhooks/${made.json.webhook_id}`, patch);
    const listed = await world.must('GET', '/v1/webhooks', { key });
    for (const { text } of [made, changed, listed]) assertProbeCondition(!text.includes(SECRET), 'it was answered');
  }),
  defineProbe('a hundred and one subscriptions at once are a hundred', async (world) => {
    const { key } = await world.person('homeowner');
    const body = { event: 'usage.updated', url: 'https://example.com/x', auth_token: SECRET };
    // A busy machine refuses some of many concurrent requests (503). Refused requests are sent again.
    const send = async (tries = 20): Promise<{ status: number }> => {
      const answer = await world.ask('POST', '/v1/webhooks', { key, body });
      return answer.status === 503 && tries > 1 ? send(tries - 1) : answer;
    };
    const answers = await Promise.all(Array.from({ length: 104 }, () => send()));
    const made = answers.filter(({ status }) => status === 201).length;
    expectAllowedValue(made, [100], 'subscriptions made');
  }),
];
