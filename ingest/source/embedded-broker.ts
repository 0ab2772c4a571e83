import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { Aedes, type AuthenticateError, type Client } from 'aedes';
import type { Logger } from '#src/core/log.ts';
import { SERVER_TLS } from '#src/core/tls.ts';
import { mayPublish } from '#src/devices/broker-access.ts';
import { type Login as PasswordLogin, secretDigest } from '#src/devices/credentials.ts';
import { homeUsageTopic, parseHomeUsageTopic } from '#src/devices/topics.ts';
import { type Claiming, type Claims, createClaiming, MAX_CLAIMING_MS } from './claiming.ts';
import { asksForCertificates, type ClientCertificate, certificateOf } from './client-certificate.ts';
import { type HomeUsagePort, homeTopics } from './home-topics.ts';
import { limitPackets } from './packet-limit.ts';
import { pubacks } from './pubacks.ts';
import type { Receive, Source } from './source.ts';

/** Messages of one connection that may wait for their commit before it is no longer read. */
const MAX_IN_FLIGHT = 4_000;
const MAX_PAYLOAD_BYTES = 1_048_576;
/** Of a topic: aedes closes the connection of who names one with more, before it asks whether the login may. */
const MAX_TOPIC_LEVELS = 100;
const TOO_MANY_LEVELS = 'topic has too many levels';
/** How often a login's topics that are refused are logged, and of how many logins that is remembered. */
const TELL_EVERY_MS = 60_000;
const MAX_TOLD = 10_000;
/** A socket on the TLS port that begins no handshake is closed after this. One without TLS has aedes' `connectTimeout` for its CONNECT. */
const MAX_HANDSHAKE_MS = 10_000;
/** Of what a listener is told, so much may wait until it is taken. */
const MAX_UNREAD_BYTES = 65_536;
/** How soon the connections of a login are closed after it ends (its device is deleted). */
const LOGINS_EVERY_MS = 10_000;

export interface EmbeddedBroker extends Source {
  /** Ports in use. */
  port: number;
  tlsPort: number;
  /** Serves new connections with this certificate. */
  renewTls(pair: { cert: Buffer; key: Buffer }): void;
}

export interface BrokerOptions {
  /** Where it listens without TLS. */
  host: string;
  port: number;
  /** Where it listens with TLS. */
  tlsHost: string;
  tlsPort: number;
  tls: { cert: Buffer; key: Buffer };
  /** Whether the id of a device or a gateway and the secret belong together. */
  checkLogin(username: string, secret: string): Promise<boolean>;
  /** Those of the logins by a password that would be refused now. */
  endedLogins<T extends PasswordLogin>(logins: readonly T[]): Promise<readonly T[]>;
  /** Whether a login may listen to a topic. */
  mayRead(username: string, topic: string): Promise<boolean>;
  /** What homes are told; without it nobody may listen to anything. */
  homes?: HomeUsagePort;
  /** Where clients may log in by certificates: who vouches for these, and whose they are. */
  certificates?: {
    /** PEM. */
    ca: Buffer;
    /** The device or gateway that a certificate is; null where it is nobody's. */
    loginOf(certificate: ClientCertificate): Promise<string | null>;
    /** Which certificates, by their SHA-256, are no longer those of the logins that came with them. */
    ended(sessions: readonly (ClientCertificate & { username: string })[]): Promise<readonly string[]>;
  };
  /** Where meters may claim their identities. */
  claims?: Claims;
  receive: Receive;
  log: Logger;
  homesEveryMs?: number;
  loginsEveryMs?: number;
  handshakeMs?: number;
}

interface Session {
  /** Id of the device or the gateway, or of a batch of meters. */
  username: string;
  /** What it logged in by, where that was no password. */
  certificate: ClientCertificate | null;
  /** SHA-256 of the password that it logged in by; null where that was a certificate. */
  secretSha256: Buffer | null;
  /** Of a meter that claims its identity, and does nothing else. */
  claiming: { claims: Claiming; sinceMs: number } | null;
  inFlight: number;
  /** aedes' callback, held while too many messages wait: it reads no further until it is called. */
  held: (() => void)[];
  /** Sends the PUBACK of a message, if the connection still stands. */
  acknowledge(messageId: number): void;
}

type Login = Pick<Session, 'username' | 'certificate' | 'secretSha256'>;
type Connection = Client & {
  conn: { writable: boolean; writableLength: number; write(data: Buffer): boolean };
  session?: Session;
};

/**
 * The broker inside the ingest process (aedes). A device's PUBLISH is taken out of aedes before it acknowledges, and
 * its PUBACK is written when the reading is committed (MQTT 3.1.1, 4.3.2), with many messages of a connection under way.
 * QoS 2 is held in order, message by message, before its PUBREC. There is nothing to read here
 * but the answer to a claim, and what a home uses, for its own gateways.
 */
export async function startEmbeddedBroker(options: BrokerOptions): Promise<EmbeddedBroker> {
  const { checkLogin, endedLogins, certificates, claims, receive, log } = options;
  const claimingOf = claims && createClaiming(claims, log);
  const sessions = new Map<Session, Client>();
  let paused = false;
  const broker = await Aedes.createBroker({
    heartbeatInterval: 60_000,
    connectTimeout: 30_000,
    maxClientsIdLength: 256,
    maxTopicLevels: MAX_TOPIC_LEVELS,
  });

  const isBatch = (name: string) => claims !== undefined && name.startsWith(claims.prefix);

  /**
   * Whose a connection is: that of its certificate, where this is somebody's, and then of nobody else; else of the name and the password
   * that belong together. Null: nobody's.
   */
  async function loginOf(client: Connection, name: string, password: string): Promise<Login | null> {
    const certificate = certificates ? certificateOf(client.conn as unknown as Socket) : null;
    if (certificate === 'refused') return null;
    const username = certificate && (await certificates?.loginOf(certificate));
    if (username) return name === '' || name === username ? { username, certificate, secretSha256: null } : null;
    const isRight = isBatch(name) ? await claims?.check(name, password) : await checkLogin(name, password);
    return isRight ? { username: name, certificate: null, secretSha256: secretDigest(password) } : null;
  }

  broker.authenticate = (client, givenName, password, done) => {
    loginOf(client as Connection, givenName ?? '', password?.toString() ?? '').then(
      (login) => {
        // Who has gone meanwhile leaves nothing behind: aedes tells of its end no more.
        if (!login || client.closed) return done(refused(4), false);
        const { username } = login;
        const { conn } = client as Connection;
        (client as { id: string }).id = sessionId(username, client.id);
        const acknowledge = pubacks(() => (!client.closed && conn.writable ? conn : null));
        const address = (conn as unknown as Socket).remoteAddress ?? '';
        const claiming =
          claimingOf && isBatch(username)
            ? { claims: claimingOf(client, username, address), sinceMs: Date.now() }
            : null;
        (client as Connection).session = { ...login, claiming, inFlight: 0, held: [], acknowledge };
        sessions.set((client as Connection).session as Session, client);
        done(null, true);
      },
      (error: Error) => {
        log.warn({ err: error }, 'login not checked: database unavailable');
        done(refused(3), false);
      },
    );
  };
  broker.on('clientDisconnect', (client) => {
    const { session } = client as Connection;
    if (!session) return;
    sessions.delete(session);
    homes?.leave(session);
  });
  const publish = (userId: string, text: string) => {
    // Who takes nothing of what it is told is not told for ever.
    for (const client of sessions.values())
      if ((client as Connection).conn.writableLength > MAX_UNREAD_BYTES) client.close();
    const topic = homeUsageTopic(userId);
    broker.publish({ cmd: 'publish', topic, payload: text, qos: 0, retain: true, dup: false }, () => {});
  };
  const { homes: told, homesEveryMs: everyMs } = options;
  const homes = told && homeTopics(told, publish, { log, ...(everyMs === undefined ? {} : { everyMs }) });
  broker.authorizeSubscribe = (client, subscription, done) => {
    const { session } = client as Connection;
    // A meter that claims may await its answer, which comes on its connection alone: nobody publishes on that topic.
    if (session?.claiming) return done(null, subscription.topic === claims?.replyTopic ? subscription : null);
    // A client that is away gets what there is when it is back.
    subscription.qos = 0;
    const userId = parseHomeUsageTopic(subscription.topic);
    if (!homes || !session || userId === null) return done(null, null);
    options.mayRead(session.username, subscription.topic).then(
      (may) => {
        if (!may || client.closed || !homes.hasRoom(userId)) return done(null, null);
        homes.follow(userId, session);
        // Of a session that is to last aedes would keep all filters of the packet, those that are refused, too, without a bound, and collect
        // what others publish there with QoS 2 while it is away. So none that listens lasts; its client subscribes again.
        (client as { clean: boolean }).clean = true;
        done(null, subscription);
      },
      (error: Error) => {
        log.warn({ err: error }, 'subscription not checked: database unavailable');
        done(null, null);
      },
    );
  };
  broker.on('unsubscribe', (topics, client) => {
    const { session } = client as Connection;
    for (const topic of topics) if (session) homes?.leave(session, parseHomeUsageTopic(topic) ?? '');
  });
  const toldAtMs = new Map<string, number>();
  /** A device whose topic has a typo connects and publishes again each second: of a login it is told once a minute. */
  const tellOfRefused = (username: string, why: string, topic?: string) => {
    const nowMs = Date.now();
    if (nowMs - (toldAtMs.get(username) ?? Number.NEGATIVE_INFINITY) < TELL_EVERY_MS) return;
    if (toldAtMs.size === MAX_TOLD) toldAtMs.clear();
    toldAtMs.set(username, nowMs);
    log.warn({ username, topic: topic?.slice(0, 200) }, why);
  };
  broker.on('clientError', (client, error) => {
    log.debug({ err: error, client: client.id }, 'client error');
    const { session } = client as Connection;
    if (session && error.message === TOO_MANY_LEVELS)
      tellOfRefused(session.username, `topic of more than ${MAX_TOPIC_LEVELS} levels refused`);
  });

  broker.authorizePublish = (client, packet, done) => {
    // Without a client it is aedes' own ($SYS); a will comes with its client's session.
    if (!client) return done(null);
    const { session } = client as Connection;
    // Nothing of a device is kept for those who subscribe later: nobody may.
    packet.retain = false;
    const payload = Buffer.isBuffer(packet.payload) ? packet.payload : Buffer.from(packet.payload);
    if (payload.length > MAX_PAYLOAD_BYTES) return done(new Error('payload is longer than 1 MiB'));
    // A bridge tells its state there (mosquitto's `notifications`): of no interest, and no reason to refuse it.
    if (session && /^\$SYS\/broker\/connection\//.test(packet.topic)) return done(null);
    const { messageId } = packet as { messageId?: number };
    if (session?.claiming && packet.topic === claims?.topic) {
      const { qos } = packet;
      if (qos === 2) return session.claiming.claims.take(payload, () => done(null));
      packet.qos = 0;
      session.claiming.claims.take(payload, () => {
        if (qos === 1 && messageId !== undefined) session.acknowledge(messageId);
      });
      return done(null);
    }
    if (!session || session.claiming || !mayPublish(session.username, packet.topic)) {
      tellOfRefused(session?.username ?? '', 'publish outside the own topic refused', packet.topic);
      return done(new Error('not your topic'));
    }
    const message = { topic: packet.topic, payload, receivedAtMs: Date.now(), replayed: false };
    if (packet.qos === 2) {
      paused = !receive(message, { done: () => done(null) }) || paused;
      return;
    }
    // To aedes it is a QoS 0 message now: the acknowledgement is ours.
    const acknowledge = packet.qos === 1 && messageId !== undefined;
    packet.qos = 0;
    session.inFlight++;
    const room = receive(message, {
      done() {
        session.inFlight--;
        if (acknowledge) session.acknowledge(messageId);
        if (!paused && session.inFlight < MAX_IN_FLIGHT / 2) release(session);
      },
    });
    if (!room) paused = true;
    if (paused || session.inFlight >= MAX_IN_FLIGHT) session.held.push(() => done(null));
    else done(null);
  };

  const endSessions = async () => {
    const nowMs = Date.now();
    for (const [{ claiming, certificate }, client] of sessions)
      if (nowMs - (claiming?.sinceMs ?? nowMs) > MAX_CLAIMING_MS || nowMs > (certificate?.validToMs ?? nowMs))
        client.close();
    const open = [...sessions.keys()];
    const byPassword = open.flatMap((session) => {
      const { username, secretSha256, claiming } = session;
      return secretSha256 && !claiming ? { username, secretSha256, session } : [];
    });
    const ended = new Set((byPassword.length > 0 ? await endedLogins(byPassword) : []).map(({ session }) => session));
    const certified = open.flatMap(({ username, certificate }) => (certificate ? { ...certificate, username } : []));
    const gone = new Set(certified.length > 0 ? await certificates?.ended(certified) : []);
    for (const [session, client] of sessions) {
      const isEnded = session.certificate ? gone.has(session.certificate.sha256) : ended.has(session);
      if (isEnded) client.close();
    }
  };
  const logins = setInterval(() => {
    endSessions().catch((error: Error) => log.debug({ err: error }, 'logins not checked'));
  }, options.loginsEveryMs ?? LOGINS_EVERY_MS);
  logins.unref();

  const serve = (socket: Socket) => limitPackets(broker.handle(socket) as Client, socket, MAX_PAYLOAD_BYTES);
  const plain = createServer(serve);
  const { handshakeMs: handshakeTimeout = MAX_HANDSHAKE_MS } = options;
  const tlsOptions = { ...SERVER_TLS, ...(certificates ? asksForCertificates(certificates.ca) : {}) };
  const secure = createTlsServer({ ...options.tls, ...tlsOptions, handshakeTimeout }, (socket) => {
    // Told by TLS itself, before anything of MQTT is read: who has a certificate that is not good has no other way in.
    if (certificates && certificateOf(socket) === 'refused') return void socket.destroy();
    serve(socket);
  });
  // Node tells of a handshake that took too long, and leaves the socket open.
  secure.on('tlsClientError', (_error, socket) => socket.destroy());
  const port = await listen(plain, options.port, options.host);
  const tlsPort = await listen(secure, options.tlsPort, options.tlsHost);
  return {
    port,
    tlsPort,
    // It is this process.
    isConnected: () => true,
    pause() {
      paused = true;
    },
    resume() {
      paused = false;
      for (const session of sessions.keys()) release(session);
    },
    // There is no other one.
    leave: async () => {},
    renewTls: (pair) => secure.setSecureContext({ ...pair, ...tlsOptions }),
    async close() {
      clearInterval(logins);
      homes?.stop();
      plain.close();
      secure.close();
      await new Promise<void>((resolve) => broker.close(() => resolve()));
    },
  };
}

/**
 * What aedes keeps a session by (its will, its QoS 2, its subscriptions), and who takes one over: the login and the client id. A client
 * id alone is anybody's: whoever names that of a stranger would end its connection. It is asked for after the login is checked and
 * before anything is kept (aedes, lib/handlers/connect.js). No login has a slash.
 */
const sessionId = (username: string, clientId: string): string => `${username}/${clientId}`;

function release(session: Session): void {
  for (const goOn of session.held.splice(0)) goOn();
}

/** CONNACK return codes (MQTT 3.1.1, 3.2.2.3): 3 server unavailable, 4 bad user name or password. */
function refused(returnCode: 3 | 4): AuthenticateError {
  return Object.assign(new Error(returnCode === 4 ? 'bad user name or password' : 'server unavailable'), {
    returnCode,
  });
}

/** Listens and returns the port, which the system chose where 0 was asked for. */
async function listen(server: Server, port: number, host: string): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const what: Record<string, string> = {
        EADDRINUSE: `Port ${port} is in use. Stop what listens there, or set MQTT_PORT and MQTTS_PORT.`,
        EADDRNOTAVAIL: `${host} is no address of this machine. Set MQTT_HOST or MQTTS_HOST to one, or to 0.0.0.0.`,
        ENOTFOUND: `${host} is not known here. Set MQTT_HOST or MQTTS_HOST to an address of this machine, or to 0.0.0.0.`,
      };
      const told = what[error.code ?? ''];
      reject(told === undefined ? error : new Error(told));
    });
    server.listen(port, host, resolve);
  });
  const address = server.address();
  return typeof address === 'object' && address ? address.port : port;
}
