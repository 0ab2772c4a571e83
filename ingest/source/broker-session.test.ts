import { EventEmitter } from 'node:events';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { type BrokerConnection, type BrokerSession, LoggedInConnections, type SessionLogin } from './broker-session.ts';
import { UnreleasedMessages } from './unreleased-messages.ts';

const by: SessionLogin = {
  username: 'dev_1',
  owner: { userId: 'usr_1', accountId: 'usr_1' },
  certificate: null,
  secretSha256: null,
};

function connection(id: string, unread = 0): BrokerConnection {
  const conn = Object.assign(new EventEmitter(), { writable: true, writableLength: unread, write: () => true });
  return { id, conn, closed: false, close: () => conn.emit('close') } as unknown as BrokerConnection;
}

function sessionsOf() {
  const [refusals, ended]: [string[], BrokerSession[]] = [[], []];
  const parts = {
    unreleased: new UnreleasedMessages(),
    onBegin: () => {},
    logRefusal: (_: string, why: string) => void refusals.push(why),
    onEnd: (session: BrokerSession) => void ended.push(session),
    onMoved: () => {},
  };
  return { sessions: new LoggedInConnections(undefined, pino({ level: 'silent' }), parts), refusals, ended };
}

test('when a login opens its twenty-first connection, ends its oldest one and removes it from the open ones', () => {
  const { sessions, refusals, ended } = sessionsOf();
  const clients = Array.from({ length: 21 }, (_, index) => connection(`client_${index}`));
  for (const client of clients) expect(sessions.begin(client, by)).toBe(true);
  expect(ended).toEqual([clients[0]?.session]);
  expect([...sessions.open]).toEqual(clients.slice(1).map(({ session }) => session));
  expect(refusals).toHaveLength(1);
});

test('begins no session for a login that has used up its requests of the minute', () => {
  const { sessions, refusals } = sessionsOf();
  const first = connection('first');
  sessions.begin(first, by);
  for (let sent = 0; sent < 200; sent++) sessions.logins.request((first.session as BrokerSession).login);
  const next = connection('next');
  expect([sessions.begin(next, by), next.session, refusals.length]).toEqual([false, undefined, 1]);
});

test('ends only connections that do not read the messages sent to them', () => {
  const { sessions, ended } = sessionsOf();
  const [reading, deaf] = [connection('reading', 65_536), connection('deaf', 65_537)];
  for (const client of [reading, deaf]) sessions.begin(client, by);
  sessions.endUnread();
  expect(ended).toEqual([deaf.session]);
  expect([...sessions.open]).toEqual([reading.session]);
});
