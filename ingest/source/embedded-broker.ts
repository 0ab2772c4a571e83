import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { Aedes } from 'aedes';
import type { Logger } from '#src/core/log.ts';
import { SERVER_TLS } from '#src/core/tls.ts';
import { mayReadHomeUsage } from '#src/devices/broker-access.ts';
import { homeUsageTopic, parseHomeUsageTopic } from '#src/devices/topics.ts';
import {
  createLoginFinder,
  createRefusalLog,
  endInvalidSessions,
  type LoginOptions,
  refuseLogin,
} from './broker-logins.ts';
import { createBrokerPersistence } from './broker-persistence.ts';
import { PublishHandler } from './broker-publish.ts';
import { type Connection, endConnection, type Session, Sessions } from './broker-session.ts';
import type { ClaimOptions } from './claiming.ts';
import { certificateRequestOptions, clientCertificateOf } from './client-certificate.ts';
import { HomeTopics, type HomeUsagePort } from './home-topics.ts';
import type { LoginLimits } from './login-limits.ts';
import { isVersion5, Version5 } from './mqtt5.ts';
import { limitPackets, type PacketHeader } from './packet-limit.ts';
import { type Fault, REASON } from './reason-codes.ts';
import type { MessageSource, ReceiveMessage } from './source.ts';
import { UnreleasedMessages } from './unreleased-messages.ts';

/** Maximum number of levels in a topic: aedes closes the connection of a client that uses more, before it checks the permission. */
const MAX_TOPIC_LEVELS = 100;
const TOO_MANY_LEVELS = 'topic has too many levels';
/** Maximum time to begin and complete a TLS handshake. On the port without TLS, aedes' `connectTimeout` limits the wait for a CONNECT. */
const MAX_HANDSHAKE_MS = 10_000;
/** Packets that count as requests of a login, like its CONNECT. */
const REQUESTS = new Set(['subscribe', 'unsubscribe']);
/** Interval at which connections are closed whose login has ended, because the device was deleted, for example. */
const LOGINS_EVERY_MS = 10_000;

type LogRefusal = ReturnType<typeof createRefusalLog>;

export interface EmbeddedBroker extends MessageSource {
  /** Ports in use, without TLS and with TLS. */
  port: number;
  tlsPort: number;
  /** Uses this certificate for new connections. */
  renewTls(pair: { cert: Buffer; key: Buffer }): void;
}

export interface BrokerOptions extends LoginOptions {
  /** Address to listen on without TLS. */
  host: string;
  port: number;
  /** Address to listen on with TLS. */
  tlsHost: string;
  tlsPort: number;
  tls: { cert: Buffer; key: Buffer };
  /** Source of the usage that is published to homes. Left out: no subscriptions are allowed. */
  homes?: HomeUsagePort;
  receive: ReceiveMessage;
  log: Logger;
  homesEveryMs?: number;
  loginsEveryMs?: number;
  handshakeMs?: number;
}

/**
 * Starts the broker inside the ingest process (aedes). The service handles a device's PUBLISH before aedes would acknowledge it, and sends
 * its PUBACK when the reading is committed (MQTT 3.1.1, 4.3.2). A connection may have many messages in flight. QoS 2 messages are processed
 * one by one, in order, and each gets its PUBREC after the commit. Clients can subscribe only to the answer to a claim and to the usage of
 * their own home, for its gateways. Clients of MQTT 5 are translated to 3.1.1 for aedes (`mqtt5.ts`).
 */
export async function startEmbeddedBroker(options: BrokerOptions): Promise<EmbeddedBroker> {
  const { claims, receive, log } = options;
  const unreleased = new UnreleasedMessages();
  const broker = await Aedes.createBroker({
    heartbeatInterval: 60_000,
    connectTimeout: 30_000,
    maxTopicLevels: MAX_TOPIC_LEVELS,
    persistence: createBrokerPersistence(unreleased, (client) => (client as Connection).session?.account ?? ''),
  });
  const logRefusal = createRefusalLog(log);
  const onEnd = (session: Session) => {
    publishing.leave(session);
    homes?.leave(session);
  };
  const onBegin = ({ client }: Session) => publishing.wills.end(client.id, client.version5?.isResumed ?? false);
  const sessions = new Sessions(claims, log, { unreleased, logRefusal, onBegin, onEnd });
  const { logins } = sessions;
  const publishing = new PublishHandler({ receive, logins, unreleased, claims, logRefusal });
  const homes = startHomeTopics(broker, sessions, options);
  broker.authenticate = authenticator(sessions, options, logRefusal);
  broker.authorizeSubscribe = subscribeAuthoriser(homes, claims);
  broker.authorizePublish = publishing.authorize;
  broker.authorizeForward = forwardAuthoriser;
  broker.on('unsubscribe', (topics, client) => {
    const { session, version5 } = client as Connection;
    for (const topic of topics) version5?.topics.delete(topic);
    const userIds = new Set(topics.map((topic) => parseHomeUsageTopic(topic)));
    for (const userId of userIds) if (session && userId !== null) homes?.leave(session, userId);
  });
  broker.on('clientError', (client, error) => {
    log.debug({ err: error, client: client.id }, 'client error');
    const { session } = client as Connection;
    if (session && error.message === TOO_MANY_LEVELS)
      logRefusal(session.by.username, `topic of more than ${MAX_TOPIC_LEVELS} levels refused`);
  });
  const checking = setInterval(() => {
    logins.sweep();
    unreleased.expire();
    endInvalidSessions(sessions.open, options).catch((error: Error) => log.debug({ err: error }, 'logins not checked'));
  }, options.loginsEveryMs ?? LOGINS_EVERY_MS);
  checking.unref();
  const { close, ...ports } = await listenBoth(options, connectionHandler(broker, logins, { log, logRefusal }));
  return {
    ...ports,
    // Always connected, because the broker is this process.
    isConnected: () => true,
    pause: publishing.pause,
    resume: publishing.resume,
    // There is no other worker to which messages could be handed over.
    leave: async () => {},
    async close() {
      clearInterval(checking);
      homes?.stop();
      close();
      for (const { client } of sessions.open) client.version5?.end(REASON.shuttingDown, () => {});
      await new Promise<void>((resolve) => broker.close(() => resolve()));
      publishing.wills.stop();
    },
  };
}

/** Creates aedes' authentication hook, which checks a login and begins its session. */
function authenticator(sessions: Sessions, options: BrokerOptions, logRefusal: LogRefusal): Aedes['authenticate'] {
  const { logins } = sessions;
  const loginOf = createLoginFinder(options);
  return (client, givenName, password, done) => {
    const name = givenName ?? '';
    const refuse = (reasonCode: number) => refuseLogin(client as Connection, reasonCode, done);
    if (logins.isOver(name)) {
      logRefusal(name, 'login refused: too many requests in a minute');
      return refuse(REASON.quotaExceeded);
    }
    const look = async () => (client.closed ? null : loginOf(client as Connection, name, password?.toString() ?? ''));
    logins.lookUp(look).then(
      (by) => {
        // Nothing may be stored for a client that has disconnected meanwhile, because aedes no longer reports its end.
        if (!by || client.closed) return refuse(REASON.badPassword);
        if (sessions.begin(client as Connection, by)) done(null, true);
        else refuse(REASON.quotaExceeded);
      },
      (error: Error) => {
        options.log.warn({ err: error }, 'login not checked: database unavailable');
        refuse(REASON.busy);
      },
    );
  };
}

/** Publishes the usage of homes that have subscribers. Undefined: subscriptions are not allowed. */
function startHomeTopics(
  broker: Aedes,
  sessions: Sessions,
  { homes, homesEveryMs: everyMs, log }: BrokerOptions,
): HomeTopics | undefined {
  const publish = (userId: string, text: string) => {
    // Connections that do not read their published messages are closed.
    sessions.endUnread();
    const topic = homeUsageTopic(userId);
    broker.publish({ cmd: 'publish', topic, payload: text, qos: 0, retain: true, dup: false }, () => {});
  };
  return homes && new HomeTopics(homes, publish, { log, ...(everyMs === undefined ? {} : { everyMs }) });
}

/** Creates aedes' hook that authorises subscriptions. */
function subscribeAuthoriser(
  homes: HomeTopics | undefined,
  claims: ClaimOptions | undefined,
): Aedes['authorizeSubscribe'] {
  return (client, subscription, done) => {
    const { session, version5 } = client as Connection;
    // A claiming meter may subscribe to its answer, which is sent on its connection only: no client publishes on that topic.
    if (session?.claiming) return done(null, subscription.topic === claims?.replyTopic ? subscription : null);
    // QoS 0 suffices: a returning client gets the retained message.
    subscription.qos = 0;
    const { username, owner } = session?.by ?? {};
    const may =
      session &&
      username !== undefined &&
      owner &&
      mayReadHomeUsage(username, owner.userId, subscription.topic) &&
      homes?.follow(owner.userId, owner.accountId, session);
    if (may) version5?.topics.add(subscription.topic);
    done(null, may ? subscription : null);
  };
}

/** aedes' hook before a message is sent: withholds the retained message from a new subscription that wants none (MQTT 5, 3.8.3.1, retain handling 2). */
const forwardAuthoriser: Aedes['authorizeForward'] = (client, packet) => {
  const { subscriptions } = client as unknown as { subscriptions: Record<string, { rh?: number } | undefined> };
  // Only retained messages for a new subscription come from no broker.
  return packet.brokerId === null && subscriptions[packet.topic]?.rh === 2 ? null : packet;
};

/** Returns the handler of a new connection, which limits its packets and its login's requests. */
function connectionHandler(
  broker: Aedes,
  logins: LoginLimits,
  { log, logRefusal }: { log: Logger; logRefusal: LogRefusal },
): (socket: Socket) => void {
  return (socket) => {
    const client = broker.handle(socket) as Connection;
    const read = (packet: PacketHeader) => {
      const { session } = client;
      const why = session && REQUESTS.has(packet.cmd) ? logins.request(session.login) : null;
      if (why !== null) return { why, reasonCode: REASON.quotaExceeded };
      if (!client.version5 && isVersion5(packet)) client.version5 = new Version5(client, socket, packet);
      return client.version5 ? client.version5.read(packet) : packet;
    };
    const end = (fault: Fault | null) => {
      if (!fault) return client.close();
      if (client.session) logRefusal(client.session.by.username, `connection ended: ${fault.why}`);
      else log.debug({ address: socket.remoteAddress }, `connection ended: ${fault.why}`);
      endConnection(client, fault.reasonCode);
    };
    limitPackets(client, socket, { read, end });
  };
}

async function listenBoth(
  options: BrokerOptions,
  serve: (socket: Socket) => void,
): Promise<Pick<EmbeddedBroker, 'port' | 'tlsPort' | 'renewTls'> & { close(): void }> {
  const { certificates, handshakeMs: handshakeTimeout = MAX_HANDSHAKE_MS } = options;
  const plain = createServer(serve);
  const tlsOptions = { ...SERVER_TLS, ...(certificates ? certificateRequestOptions(certificates.ca) : {}) };
  const secure = createTlsServer({ ...options.tls, ...tlsOptions, handshakeTimeout }, (socket) => {
    // Reject an invalid certificate before any MQTT packet is read, so that its client has no other way in.
    if (certificates && clientCertificateOf(socket) === 'refused') return void socket.destroy();
    serve(socket);
  });
  // Node reports a handshake timeout but leaves the socket open.
  secure.on('tlsClientError', (_error, socket) => socket.destroy());
  return {
    port: await listen(plain, options.port, options.host),
    tlsPort: await listen(secure, options.tlsPort, options.tlsHost),
    renewTls: (pair) => secure.setSecureContext({ ...pair, ...tlsOptions }),
    close() {
      plain.close();
      secure.close();
    },
  };
}

/** Listens and returns the port; for port 0, the one that the system chose. */
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
