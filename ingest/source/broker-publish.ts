import type { Client, PublishPacket } from 'aedes';
import { mayPublish } from '#src/devices/broker-access.ts';
import type { Connection, Session } from './broker-session.ts';
import type { Claims } from './claiming.ts';
import type { Logins } from './login-limits.ts';
import type { Receive } from './source.ts';
import type { Unreleased } from './unreleased.ts';

export const MAX_PAYLOAD_BYTES = 1_048_576;
/** Topic on which a bridge reports its state (mosquitto's `notifications`). These messages are accepted and ignored. */
const BRIDGE_STATE = /^\$SYS\/broker\/connection\//;

type Done = (error?: Error | null) => void;

/** Passes published messages from aedes to the pipeline. */
export interface Publishing {
  /** Hook of aedes. Calls `done` when the connection may be read further, or with an error if it must end. */
  authorize(client: Client | null, packet: PublishPacket, done: Done): void;
  /** Stops reading from all connections. */
  pause(): void;
  /** Reads further from the connections that wait for room: those of an account, or all. */
  resume(account?: string): void;
  /** The connection has ended. */
  leave(session: Session): void;
}

/** `logRefusal`: logs why something of a login was refused. */
export function createPublishing(parts: {
  receive: Receive;
  logins: Logins;
  unreleased: Unreleased;
  claims: Claims | undefined;
  logRefusal(username: string, why: string, topic?: string): void;
}): Publishing {
  const { receive, logins, unreleased, claims, logRefusal } = parts;
  /** Connections that are not read until there is room for their account. */
  const waiting = new Set<Session>();
  let isPaused = false;

  /** Passes a message to the pipeline. `committed` is called when it is stored. */
  function hand(session: Session, topic: string, payload: Buffer, committed: () => void): void {
    const { login, account, client } = session;
    const { length } = payload;
    login.take(length);
    const message = { topic, payload, receivedAtMs: Date.now(), replayed: false, account };
    const mayGoOn = receive(message, {
      done() {
        login.give(length);
        committed();
      },
    });
    if ((mayGoOn && !isPaused) || client.closed) return;
    session.hasRoom = false;
    waiting.add(session);
  }

  /** Takes a message at QoS 0 or 1. For aedes it becomes one at QoS 0, because this service acknowledges it after the commit. */
  function take(session: Session, packet: PublishPacket, payload: Buffer, done: Done): void {
    const acknowledged = packet.qos === 1 ? idOf(packet) : undefined;
    packet.qos = 0;
    hand(session, packet.topic, payload, () => {
      if (acknowledged !== undefined) session.acknowledge(acknowledged);
    });
    session.whenRead(done);
  }

  /**
   * Takes a message at QoS 2. Its id is recorded first, so that a repetition by this connection or a later one of the session is not passed on
   * (MQTT 3.1.1, 4.3.3). After the commit aedes finds the id recorded and only sends the PUBREC.
   */
  function takeOnce(session: Session, { topic }: PublishPacket, messageId: number, payload: Buffer, done: Done): void {
    const { id } = session.client;
    try {
      if (unreleased.isRepeated(id, messageId, session.account, done)) return;
    } catch (error) {
      logRefusal(session.by.username, `connection ended: ${(error as Error).message}`);
      done(error as Error);
      return;
    }
    hand(session, topic, payload, () => {
      unreleased.commit(id, messageId);
      done(null);
    });
  }

  function claim(session: Session, packet: PublishPacket, payload: Buffer, done: Done): void {
    const { qos } = packet;
    const { claims } = session.claiming ?? {};
    const messageId = idOf(packet);
    if (qos < 2) packet.qos = 0;
    claims?.take(payload, () => {
      if (qos === 2) done(null);
      else if (qos === 1 && messageId !== undefined) session.acknowledge(messageId);
    });
    if (qos < 2) done(null);
  }

  return {
    authorize(client, packet, done) {
      // A message without a client is aedes' own ($SYS). A will comes with its client's session.
      if (!client) return done(null);
      const { session } = client as Connection;
      const { topic } = packet;
      // Messages of devices are never retained: no client may subscribe to them.
      packet.retain = false;
      const payload = Buffer.isBuffer(packet.payload) ? packet.payload : Buffer.from(packet.payload);
      if (payload.length > MAX_PAYLOAD_BYTES) return done(new Error('payload is longer than 1 MiB'));
      if (session && BRIDGE_STATE.test(topic)) {
        const why = logins.request(session.login);
        if (why !== null) logRefusal(session.by.username, `connection ended: ${why}`, topic);
        return done(why === null ? null : new Error(why));
      }
      if (session?.claiming && topic === claims?.topic) return claim(session, packet, payload, done);
      if (!session || session.claiming || !mayPublish(session.by.username, topic)) {
        logRefusal(session?.by.username ?? '', 'publish outside the own topic refused', topic);
        return done(new Error('not your topic'));
      }
      const messageId = idOf(packet);
      const once = () => takeOnce(session, packet, messageId ?? 0, payload, done);
      // A will has no id. It comes after its connection has ended, so it cannot wait until the connection is read.
      if (client.closed) take(session, packet, payload, done);
      else session.whenRead(packet.qos === 2 ? once : () => take(session, packet, payload, done));
    },
    pause() {
      isPaused = true;
    },
    resume(account) {
      if (account === undefined) isPaused = false;
      for (const session of [...waiting]) {
        if (account !== undefined && session.account !== account) continue;
        waiting.delete(session);
        session.hasRoom = true;
        session.readOn();
      }
    },
    leave: (session) => void waiting.delete(session),
  };
}

const idOf = (packet: PublishPacket): number | undefined => (packet as { messageId?: number }).messageId;
