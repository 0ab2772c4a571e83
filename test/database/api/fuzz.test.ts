import { expect, test } from 'vitest';
import { startTestApi, writeLoadProfile } from '#test/support/api.ts';
import { runFuzzer } from '../../../bench/attack/fuzz/fuzz.ts';
import { createAttackedInstallation } from '../../../bench/attack/world.ts';

/** Number of random requests. `npm run attack -- --fuzz` sends 20,000 requests with a new seed each time. */
const REQUESTS = Number(process.env.FUZZED_REQUESTS ?? 1_200);
const SEED = Number(process.env.FUZZ_SEED ?? 1);

test('any request that the document’s schemas allow gets a documented response, never 5xx', async () => {
  const api = await startTestApi();
  try {
    const { key: adminKey } = await api.user('admin');
    const world = createAttackedInstallation({
      api: { host: '127.0.0.1', port: api.port },
      adminKey,
      remove: async () => {},
    });
    const hours = Array.from(
      { length: 48 },
      (_, hour) => [Date.parse('2026-06-10') + hour * 3_600_000, 250_000] as const,
    );
    const feed = (userId: string) => writeLoadProfile(api, userId, new Map(hours));
    const { faults, requests, statuses } = await runFuzzer(world, { seed: SEED, requests: REQUESTS, feed });
    expect(faults).toEqual([]);
    expect(requests).toBe(REQUESTS);
    // Refused requests test little. Therefore nearly every operation must have succeeded at least once.
    const carriedOut = Object.values(statuses).filter((counts) => Object.keys(counts).some((status) => status < '300'));
    expect(carriedOut.length).toBeGreaterThan(30);
  } finally {
    await api.close();
  }
});

test('the fuzz test detects an undocumented answer', async () => {
  const wrong = { 'device.type': 7 };
  const api = await startTestApi({
    beforeListening(app) {
      app.addHook('preSerialization', async (request, _reply, payload) =>
        request.url.startsWith('/v1/gateways') && Array.isArray(payload) ? [wrong] : payload,
      );
      app.addHook('onRequest', async (request) => {
        if (request.url.startsWith('/v1/keys?')) throw new Error('unexpected');
      });
    },
  });
  try {
    const { key: adminKey } = await api.user('admin');
    const world = createAttackedInstallation({
      api: { host: '127.0.0.1', port: api.port },
      adminKey,
      remove: async () => {},
    });
    const { faults } = await runFuzzer(world, {
      seed: SEED,
      requests: 60,
      only: ['listGateways', 'listKeys', 'getUser'],
    });
    const found = new Set(faults.map(({ operation, why }) => `${operation} ${why.slice(0, 3)}`));
    expect([...found].sort()).toEqual(['listGateways 200', 'listKeys 500']);
  } finally {
    await api.close();
  }
});
