import { setTimeout } from 'node:timers/promises';
import Fastify from 'fastify';
import { expect, test } from 'vitest';
import type { Caller } from '#src/auth/authenticate.ts';
import type { RequestCounter } from '#src/auth/request-counter.ts';
import { addAuthentication } from './authentication.ts';
import { addRequestLog } from './request-log.ts';

const CALLER: Caller = {
  by: 'key',
  keyId: 'key_a',
  accountId: 'usr_a',
  userId: 'usr_a',
  role: 'homeowner',
  scopes: new Set(),
  groupId: null,
};

test('a request whose count takes long is counted by one query, because its body arrived in time', async () => {
  const queries: string[] = [];
  const counter: RequestCounter = {
    async take() {
      queries.push('take');
      await setTimeout(150);
      return { allowed: true, windows: null, retryAfterSeconds: 0 };
    },
    giveBack: async () => {},
    async suspendedForSeconds() {
      queries.push('suspendedForSeconds');
      return 0;
    },
    suspended: async () => new Set(),
  };
  const app = Fastify();
  addRequestLog(app);
  addAuthentication(app, async () => CALLER, counter);
  app.get('/v1/devices', async () => []);
  const { statusCode } = await app.inject({ url: '/v1/devices', headers: { authorization: 'Bearer key' } });
  expect(statusCode).toBe(200);
  expect(queries).toEqual(['take']);
});
