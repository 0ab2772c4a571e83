import { expect, test } from 'vitest';
import { isOperatorHost } from './operator.ts';

const here = { host: '127.0.0.1', names: [] };
const everywhere = { host: '0.0.0.0', names: ['energy.monitoring.svc'] };

test.each(['127.0.0.1:9464', 'localhost', 'LOCALHOST:9464', '[::1]:9464', '192.168.1.5:9464', '[fe80::1]'])(
  'accepts the host %s, because no web page can direct a browser to it',
  (host) => {
    expect([isOperatorHost(host, here), isOperatorHost(host, everywhere)]).toEqual([true, true]);
  },
);

test('accepts the names of containers if other machines may connect, and the names that the operator configured', () => {
  for (const host of ['energy:9464', 'Energy.Monitoring.svc:9464']) {
    expect([isOperatorHost(host, here), isOperatorHost(host, everywhere)]).toEqual([false, true]);
  }
});

test.each([
  undefined,
  '',
  'rebind.example.com:9464',
  '127.0.0.1.example.com',
  'localhost.example.com',
  'a:b:c',
  '[',
  'energy.',
])('refuses the host %s', (host) => {
  expect([isOperatorHost(host, here), isOperatorHost(host, everywhere)]).toEqual([false, false]);
});
