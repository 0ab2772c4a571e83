import { expect, test } from 'vitest';
import { DatabaseHosts } from './hosts.ts';

/** Creates servers with the given roles. `silent` never responds; `slow` responds too late. */
function servers(...are: ('primary' | 'standby' | 'away' | 'silent' | 'slow')[]) {
  const asked: number[] = [];
  const hosts = new DatabaseHosts(are.length, 'primary', async (host) => {
    asked.push(host);
    if (are[host] === 'away') throw new Error('connect ECONNREFUSED');
    if (are[host] === 'slow') throw new Error('timeout expired');
    if (are[host] === 'silent') return new Promise(() => {});
    return are[host] === 'primary';
  });
  return { are, asked, hosts };
}

test('chooses the host that accepts writes, and caches it without a second query', async () => {
  const { hosts, asked } = servers('standby', 'primary');
  expect(await hosts.choose()).toBe(1);
  expect(await hosts.choose()).toBe(1);
  expect(asked).toEqual([0, 1]);
});

test('does not wait for a host that does not respond', async () => {
  const { hosts } = servers('silent', 'primary');
  expect(await hosts.choose()).toBe(1);
});

test('finds the other host after a failover', async () => {
  const { hosts, are } = servers('primary', 'standby');
  expect(await hosts.choose()).toBe(0);
  are.splice(0, 2, 'away', 'primary');
  hosts.forget(1);
  expect(await hosts.choose()).toBe(0);
  hosts.forget(0);
  expect(await hosts.choose()).toBe(1);
  are.splice(0, 2, 'primary', 'standby');
  expect(await hosts.search()).toBe(0);
  expect(await hosts.choose()).toBe(0);
});

test('uses a host only while it still reports the wanted state', async () => {
  const { hosts, are } = servers('primary', 'standby', 'away');
  expect(await Promise.all([0, 1, 2].map((host) => hosts.isWanted(host)))).toEqual([true, false, false]);
  // Any host with the wanted role may be chosen.
  are[1] = 'primary';
  expect(await Promise.all([0, 1].map((host) => hosts.isWanted(host)))).toEqual([true, true]);
});

test('of many concurrent callers, only one searches for the host', async () => {
  const { hosts, asked } = servers('standby', 'primary');
  expect(await Promise.all([hosts.choose(), hosts.choose(), hosts.search()])).toEqual([1, 1, 1]);
  expect(asked).toHaveLength(2);
});

test('if no host accepts writes, the error gives the reason for each, and the next call searches again', async () => {
  const { hosts, are } = servers('away', 'standby');
  await expect(hosts.choose()).rejects.toMatchObject({
    code: '57P03',
    message: 'no host of the database takes writes (host 1: connect ECONNREFUSED; host 2: is a standby)',
  });
  are[1] = 'primary';
  expect(await hosts.choose()).toBe(1);
});

test('if no host responds in time, limits double up to a maximum, and follow the connections that succeed', async () => {
  const { hosts, are } = servers('slow', 'slow');
  const factors: number[] = [];
  for (let turn = 0; turn < 5; turn++) {
    await hosts.search().catch(() => {});
    factors.push(hosts.slowness);
  }
  expect(factors).toEqual([2, 4, 8, 8, 8]);
  are[1] = 'primary';
  expect(await hosts.choose()).toBe(1);
  hosts.connected(3_000);
  expect(hosts.slowness).toBe(3);
  hosts.connected(9_000);
  expect(hosts.slowness).toBe(3);
  hosts.connected(20);
  expect(hosts.slowness).toBe(1);
});

test('limits double if a host responds to the search and then does not accept a connection in time', async () => {
  const { hosts } = servers('primary', 'away');
  hosts.forget(await hosts.choose(), new Error('timeout expired'));
  expect(hosts.slowness).toBe(2);
  hosts.forget(await hosts.choose(), new Error('connect ECONNREFUSED'));
  expect(hosts.slowness).toBe(2);
});

test('limits stay the same if a primary hangs, while its standby responds', async () => {
  const { hosts, are } = servers('primary', 'standby');
  const host = await hosts.choose();
  hosts.connected(20);
  are[0] = 'slow';
  hosts.forget(host, new Error('timeout expired'));
  await expect(hosts.choose()).rejects.toThrow('no host of the database takes writes');
  expect(hosts.slowness).toBe(1);
});
