import { expect, test } from 'vitest';
import { isOperatorHost } from './operator.ts';

const here = { host: '127.0.0.1', names: [] };
const everywhere = { host: '0.0.0.0', names: ['energy.monitoring.svc'] };

test.each(['127.0.0.1:9464', 'localhost', 'LOCALHOST:9464', '[::1]:9464', '192.168.1.5:9464', '[fe80::1]'])(
  'answers to %s, which no web page can lead anywhere',
  (host) => {
    expect([isOperatorHost(host, here), isOperatorHost(host, everywhere)]).toEqual([true, true]);
  },
);

test('answers to names of containers where others may connect, and to those that the operator gave', () => {
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
])('refuses %s', (host) => {
  expect([isOperatorHost(host, here), isOperatorHost(host, everywhere)]).toEqual([false, false]);
});
