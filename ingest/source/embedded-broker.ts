import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { Aedes } from 'aedes';
import type { Logger } from '#src/core/log.ts';
import { SERVER_TLS } from '#src/core/tls.ts';
import { mayReadOf } from '#src/devices/broker-access.ts';
import { homeUsageTopic, parseHomeUsageTopic } from '#src/devices/topics.ts';
import { endSessions, type LoginOptions, loginFinder, refusalLog, refused } from './broker-logins.ts';
import { brokerPersistence } from './broker-persistence.ts';
import { createPublishing, MAX_PAYLOAD_BYTES } from './broker-publish.ts';
import { type Connection, type LoggedIn, MAX_UNREAD_BYTES, Session } from './broker-session.ts';
import { createClaiming } from './claiming.ts';
import { asksForCertificates, certificateOf } from './client-certificate.ts';
import { type HomeUsagePort, homeTopics } from './home-topics.ts';
import { Login, Logins } from './login-limits.ts';
import { type AnyPacket, limitPackets } from './packet-limit.ts';
import type { Receive, Source } from './source.ts';
import { sessionId, Unreleased } from './unreleased.ts';

/** Of a topic: aedes closes the connection of who names one with more, before it asks whether the login may. */
const MAX_TOPIC_LEVELS = 100;
const TOO_MANY_LEVELS = 'topic has too many levels';
/** A socket on the TLS port that begins no handshake is closed after this. One without TLS has aedes' `connectTimeout` for its CONNECT. */
const MAX_HANDSHAKE_MS = 10_000;
/** Packets that count to a login's requests, as its CONNECT does. */
const REQUESTS = new Set(['subscribe', 'unsubscribe']);
/** How soon the connections of a login are closed after it ends (its device is deleted). */
const LOGINS_EVERY_MS = 10_000;
export interface EmbeddedBroker extends Source {
  /** Ports in use. */
  port: number;
  tlsPort: number;
  /** Serves new connections with this certificate. */
  renewTls(pair: { cert: Buffer; key: Buffer }): void;
}

export interface BrokerOptions extends LoginOptions {
  /** Where it listens without TLS. */
  host: string;
  port: number;
  /** Where it listens with TLS. */
  tlsHost: string;
  tlsPort: number;
  tls: { cert: Buffer; key: Buffer };
  /** What homes are told; without it nobody may listen to anything. */
  homes?: HomeUsagePort;
  receive: Receive;
  log: Logger;
  homesEveryMs?: number;
  loginsEveryMs?: number;
  handshakeMs?: number;
}

/**
 * The broker inside the ingest process (aedes). A device's PUBLISH is taken out of aedes before it acknowledges, and
 * its PUBACK is written when the reading is committed (MQTT 3.1.1, 4.3.2), with many messages of a connection under way.
 * QoS 2 is held in order, message by message, before its PUBREC. There is nothing to read here
 * but the answer to a claim, and what a home uses, for its own gateways.
 */
export async function startEmbeddedBroker(options: BrokerOptions): Promise<EmbeddedBroker> {
  const { certificates, claims, receive, log } = options;
  const claimingOf = claims && createClaiming(claims, log);
  const sessions = new Set<Session>();
  const logins = new Logins();
  const unreleased = new Unreleased();
  const broker = await Aedes.createBroker({
    heartbeatInterval: 60_000,
    connectTimeout: 30_000,
    maxTopicLevels: MAX_TOPIC_LEVELS,
    persistence: brokerPersistence(unreleased, (client) => (client as Connection).session?.account ?? ''),
  });
  const logRefusal = refusalLog(log);
  const publishing = createPublishing({ receive, logins, unreleased, claims, logRefusal });
  const loginOf = loginFinder(options);

  broker.authenticate = (client, givenName, password, done) => {
    const name = givenName ?? '';
    if (logins.isOver(name)) {
      logRefusal(name, 'login refused: too many requests in a minute');
      return done(refused(3), false);
    }
    const look = async () => (client.closed ? null : loginOf(client as Connection, name, password?.toString() ?? ''));
    logins.lookUp(look).then(
      (by) => {
        // Who has gone meanwhile leaves nothing behind: aedes tells of its end no more.
        if (!by || client.closed) return done(refused(4), false);
        const begun = begin(client as Connection, by);
        done(begun ? null : refused(3), begun);
      },
      (error: Error) => {
        log.warn({ err: error }, 'login not checked: database unavailable');
        done(refused(3), false);
      },
    );
  };

  /** Begins a session; false where the login has had its requests of this minute. */
  function begin(client: Connection, by: LoggedIn): boolean {
    const { username } = by;
    // Of a batch each meter is by itself: they claim all at once, once.
    const login = by.owner ? logins.of(username) : new Login(username);
    const why = logins.request(login);
    if (why !== null) {
      logRefusal(username, `login refused: ${why}`);
      return false;
    }
    (client as { id: string }).id = sessionId(username, client.id);
    const claims = by.owner === null && claimingOf?.(client, username, client.conn.remoteAddress ?? '');
    const claiming = claims ? { claims, sinceMs: performance.now() } : null;
    const session = new Session(client, by, { login, claiming, hasRoom: true });
    client.session = session;
    sessions.add(session);
    // By its connection: aedes reports no end of a client that it has not registered yet.
    client.conn.once('close', () => leave(session));
    const oldest = logins.join(login, session);
    if (oldest) {
      logRefusal(username, 'too many connections of a login: the oldest is ended');
      oldest.end();
    }
    return true;
  }

  function leave(session: Session): void {
    sessions.delete(session);
    publishing.leave(session);
    session.login.connections.delete(session);
    homes?.leave(session);
  }

  const publish = (userId: string, text: string) => {
    // Who takes nothing of what it is told is not told for ever.
    for (const session of sessions) if (session.client.conn.writableLength > MAX_UNREAD_BYTES) session.end();
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
    const { username, owner } = session?.by ?? {};
    const may =
      session &&
      username !== undefined &&
      owner &&
      mayReadOf(username, owner.userId, subscription.topic) &&
      homes?.follow(owner.userId, owner.accountId, session);
    done(null, may ? subscription : null);
  };
  broker.on('unsubscribe', (topics, client) => {
    const { session } = client as Connection;
    const userIds = new Set(topics.map((topic) => parseHomeUsageTopic(topic)));
    for (const userId of userIds) if (session && userId !== null) homes?.leave(session, userId);
  });
  broker.on('clientError', (client, error) => {
    log.debug({ err: error, client: client.id }, 'client error');
    const { session } = client as Connection;
    if (session && error.message === TOO_MANY_LEVELS)
      logRefusal(session.by.username, `topic of more than ${MAX_TOPIC_LEVELS} levels refused`);
  });

  broker.authorizePublish = publishing.authorize;

  const checking = setInterval(() => {
    logins.sweep();
    unreleased.expire();
    endSessions(sessions, options).catch((error: Error) => log.debug({ err: error }, 'logins not checked'));
  }, options.loginsEveryMs ?? LOGINS_EVERY_MS);
  checking.unref();

  const serve = (socket: Socket) => {
    const client = broker.handle(socket) as Connection;
    const judge = ({ cmd }: AnyPacket) => {
      const { session } = client;
      return session && REQUESTS.has(cmd) ? logins.request(session.login) : null;
    };
    const end = (why: string) => {
      if (client.session) logRefusal(client.session.by.username, `connection ended: ${why}`);
      else log.debug({ address: socket.remoteAddress }, `connection ended: ${why}`);
      client.close();
    };
    limitPackets(client, socket, MAX_PAYLOAD_BYTES, { judge, end });
  };
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
    pause: publishing.pause,
    resume: publishing.resume,
    // There is no other one.
    leave: async () => {},
    renewTls: (pair) => secure.setSecureContext({ ...pair, ...tlsOptions }),
    async close() {
      clearInterval(checking);
      homes?.stop();
      plain.close();
      secure.close();
      await new Promise<void>((resolve) => broker.close(() => resolve()));
    },
  };
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
