import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Aedes, type Client } from 'aedes';
import type { Logger } from '#src/core/log.ts';
import { canReadHomeUsage } from '#src/devices/broker-access.ts';
import { getHomeUsageTopic, parseHomeUsageTopic } from '#src/devices/topics.ts';
import {
  createLoginFinder,
  createLoginRefusalLog,
  disconnectInvalidLogins,
  type LoginCheckOptions,
  refuseLogin,
} from './broker-logins.ts';
import { createBrokerPersistence } from './broker-persistence.ts';
import { PublishHandler } from './broker-publish.ts';
import {
  type BrokerConnection,
  type BrokerSession,
  endConnection,
  LoggedInConnections,
  refuseMqttConnect,
} from './broker-session.ts';
import type { MeterClaimOptions } from './claiming.ts';
import { HomeTopicPublisher, type HomeUsageSource } from './home-topics.ts';
import { type ListenOptions, listenWithAndWithoutTls } from './listeners.ts';
import type { LoginLimits } from './login-limits.ts';
import { closeSessionsOfMovedLogins, watchMovedLogins } from './moved-logins.ts';
import { isMqtt5Connect, Mqtt5Connection } from './mqtt5.ts';
import { findPacketSizeFault, limitPacketSize, type PacketHeader } from './packet-limit.ts';
import { getReasonCode, type PacketFault, REASON_CODES } from './reason-codes.ts';
import type { MessageReceiver } from './source.ts';
import { UnreleasedMessages } from './unreleased-messages.ts';

/** Maximum number of levels in a topic. Beyond it, aedes closes the connection. */
const MAX_TOPIC_LEVELS = 100;
const TOO_MANY_LEVELS = 'topic has too many levels';
/** Packets that count as requests of a login, in addition to CONNECT. */
const REQUESTS = new Set(['subscribe', 'unsubscribe']);
/** Interval in ms at which connections are closed whose login is no longer valid. */
const LOGINS_EVERY_MS = 10_000;
/** Minimum delay of a will in seconds: within it, this process learns whether the client has connected to another process. */
const WILL_DELAY_S = 2;
/**
 * If the database has not answered for this time (ms), this process should get no new connections. A failover of the database takes up to
 * 20 s.
 */
const MAX_SILENCE_MS = 30_000;
const LEAVING_LOOK_MS = 50;

type LogRefusal = ReturnType<typeof createLoginRefusalLog>;

export interface BrokerOptions extends LoginCheckOptions, ListenOptions {
  /** Usage that the broker publishes to homes. Without it, homes cannot subscribe. */
  homes?: HomeUsageSource;
  receive: MessageReceiver;
  log: Logger;
  homesEveryMs?: number;
  loginsEveryMs?: number;
  /** Maximum time in ms that a stopping process gives its clients to connect to other processes. */
  drainMs?: number;
}

/**
 * Starts an MQTT broker (aedes) in this process. The service sends the PUBACK of a message after its commit (MQTT 3.1.1, 4.3.2). A home's
 * gateways can subscribe to the usage of their home, and a meter to the answer to its claim; all other subscriptions are refused. MQTT 5
 * packets are translated to 3.1.1 for aedes.
 */
export async function startEmbeddedBroker(options: BrokerOptions) {
  const { claims, receive, places, log } = options;
  const willDelayS = places ? WILL_DELAY_S : 0;
  const unreleased = new UnreleasedMessages();
  const broker = await Aedes.createBroker({
    heartbeatInterval: 60_000,
    connectTimeout: 30_000,
    maxTopicLevels: MAX_TOPIC_LEVELS,
    persistence: createBrokerPersistence(unreleased, (client) => (client as BrokerConnection).session?.account ?? ''),
  });
  const logRefusal = createLoginRefusalLog(log);
  const onEnd = (session: BrokerSession) => {
    publishing.leave(session);
    homes?.leave(session);
  };
  const onMoved = (username: string) => publishing.wills.dropLogin(username);
  const onBegin = ({ client }: BrokerSession) => publishing.wills.end(client.id, client.version5?.isResumed ?? false);
  const sessions = new LoggedInConnections(claims, log, { unreleased, logRefusal, onBegin, onEnd, onMoved });
  const { logins } = sessions;
  const publishing = new PublishHandler({ receive, logins, unreleased, claims, logRefusal, willDelayS });
  const homes = startHomeTopics(broker, sessions, options);
  broker.authenticate = authenticator(sessions, options, logRefusal);
  broker.authorizeSubscribe = subscribeAuthoriser(homes, claims);
  broker.authorizePublish = publishing.authorize;
  broker.authorizeForward = forwardAuthoriser;
  broker.on('unsubscribe', unsubscriber(homes));
  broker.on('clientError', (client, error) => {
    log.debug({ err: error, client: client.id }, 'client error');
    const { session } = client as BrokerConnection;
    if (session && error.message === TOO_MANY_LEVELS)
      logRefusal(session.by.username, `topic of more than ${MAX_TOPIC_LEVELS} levels refused`);
  });
  const checking = checkRegularly(sessions, unreleased, options);
  const moving = places && watchMovedLogins(sessions, places, log);
  const onConnection = connectionHandler(broker, logins, { log, logRefusal });
  const { close, ...ports } = await listenWithAndWithoutTls(options, onConnection);
  return {
    ...ports,
    isConnected: () => true,
    pause: publishing.pause,
    resume: publishing.resume,
    /**
     * Whether new clients should connect to this process. False if the database is unreachable from here; other processes may still reach
     * it.
     */
    isReady: () => (moving?.silentMs() ?? 0) < MAX_SILENCE_MS,
    leave: () => letConnectionsMove(sessions, close, options.drainMs ?? 0),
    async close() {
      clearInterval(checking);
      moving?.stop();
      homes?.stop();
      close();
      for (const { client } of sessions.open) client.version5?.end(REASON_CODES.shuttingDown, () => {});
      await new Promise<void>((resolve) => broker.close(() => resolve()));
      publishing.wills.stop();
    },
  };
}

export type EmbeddedBroker = Awaited<ReturnType<typeof startEmbeddedBroker>>;

function authenticator(
  sessions: LoggedInConnections,
  options: BrokerOptions,
  logRefusal: LogRefusal,
): Aedes['authenticate'] {
  const { logins } = sessions;
  const loginOf = createLoginFinder(options);
  return (client, givenName, password, done) => {
    const name = givenName ?? '';
    const refuse = (reasonCode: number) => refuseLogin(client as BrokerConnection, reasonCode, done);
    if (logins.isOver(name)) {
      logRefusal(name, 'login refused: too many requests in a minute');
      return refuse(REASON_CODES.quotaExceeded);
    }
    const look = async () => {
      const by = client.closed ? null : await loginOf(client as BrokerConnection, name, password?.toString() ?? '');
      // The login was at another process since its last connection here, so its state in this process is outdated.
      if (by?.owner && (await options.places?.claim(by.username))) sessions.moveAway(by.username);
      return by;
    };
    logins.lookUp(look).then(
      (by) => {
        // The client has disconnected during the login, and aedes would not report the end of its connection.
        if (!by || client.closed) return refuse(REASON_CODES.badPassword);
        if (sessions.begin(client as BrokerConnection, by)) done(null, true);
        else refuse(REASON_CODES.quotaExceeded);
      },
      (error: Error) => {
        options.log.warn({ err: error }, 'login not checked: database unavailable');
        refuse(REASON_CODES.busy);
      },
    );
  };
}

/** Regularly ends connections whose login is invalid or has moved to another process, and evicts expired state. */
function checkRegularly(sessions: LoggedInConnections, unreleased: UnreleasedMessages, options: BrokerOptions) {
  const checkLogins = async () => {
    await disconnectInvalidLogins(sessions.open, options);
    if (options.places) await closeSessionsOfMovedLogins(sessions, options.places);
  };
  const check = () => {
    sessions.logins.sweep();
    unreleased.expire();
    checkLogins().catch((error: Error) => options.log.debug({ err: error }, 'logins not checked'));
  };
  return setInterval(check, options.loginsEveryMs ?? LOGINS_EVERY_MS).unref();
}

/**
 * Lets the clients of a stopping process connect to other processes. First waits until a proxy has detected that this process is not ready,
 * then ends the remaining connections.
 */
async function letConnectionsMove(
  sessions: LoggedInConnections,
  stopListening: () => void,
  drainMs: number,
): Promise<void> {
  const untilMs = performance.now() + drainMs / 2;
  while (sessions.open.size > 0 && performance.now() < untilMs) await pause(LEAVING_LOOK_MS);
  if (drainMs === 0) return;
  stopListening();
  for (const session of sessions.open) session.end(REASON_CODES.shuttingDown);
}

/** Publishes the usage of homes that have subscribers. Returns undefined if homes cannot subscribe. */
function startHomeTopics(
  broker: Aedes,
  sessions: LoggedInConnections,
  { homes, homesEveryMs: everyMs, log }: BrokerOptions,
): HomeTopicPublisher | undefined {
  const publish = (userId: string, text: string) => {
    sessions.endUnread();
    const topic = getHomeUsageTopic(userId);
    broker.publish({ cmd: 'publish', topic, payload: text, qos: 0, retain: true, dup: false }, () => {});
  };
  return homes && new HomeTopicPublisher(homes, publish, { log, ...(everyMs === undefined ? {} : { everyMs }) });
}

function subscribeAuthoriser(
  homes: HomeTopicPublisher | undefined,
  claims: MeterClaimOptions | undefined,
): Aedes['authorizeSubscribe'] {
  return (client, subscription, done) => {
    const { session, version5 } = client as BrokerConnection;
    // The meter may subscribe only to the topic of its answer. No client can publish there.
    if (session?.claiming) return done(null, subscription.topic === claims?.replyTopic ? subscription : null);
    // QoS 0 is enough: after a reconnect, a client gets the retained message.
    subscription.qos = 0;
    const { username, owner } = session?.by ?? {};
    const may =
      session &&
      username !== undefined &&
      owner &&
      canReadHomeUsage(username, owner.userId, subscription.topic) &&
      homes?.follow(owner.userId, owner.accountId, session);
    if (may) version5?.topics.add(subscription.topic);
    done(null, may ? subscription : null);
  };
}

function unsubscriber(homes: HomeTopicPublisher | undefined) {
  return (topics: string[], client: Client) => {
    const { session, version5 } = client as BrokerConnection;
    for (const topic of topics) version5?.topics.delete(topic);
    const userIds = new Set(topics.map((topic) => parseHomeUsageTopic(topic)));
    for (const userId of userIds) if (session && userId !== null) homes?.leave(session, userId);
  };
}

/** Hook that aedes calls before it sends a message. Withholds retained messages that a subscription did not request (MQTT 5, 3.8.3.1). */
const forwardAuthoriser: Aedes['authorizeForward'] = (client, packet) => {
  const { subscriptions } = client as BrokerConnection;
  // `brokerId` is null only for retained messages.
  return packet.brokerId === null && subscriptions[packet.topic]?.rh === 2 ? null : packet;
};

/** Returns the handler of new connections, which limits their packets and requests. */
function connectionHandler(
  broker: Aedes,
  logins: LoginLimits,
  { log, logRefusal }: { log: Logger; logRefusal: LogRefusal },
): (socket: Socket) => void {
  return (socket) => {
    const client = broker.handle(socket) as BrokerConnection;
    client.prependListener('error', (error: Error) => {
      if (!client.version5) refuseMqttConnect(client, getReasonCode(error));
    });
    const read = (packet: PacketHeader) => {
      const { session } = client;
      const why = session && REQUESTS.has(packet.cmd) ? logins.request(session.login) : null;
      if (why !== null) return { why, reasonCode: REASON_CODES.quotaExceeded };
      if (!client.version5 && isMqtt5Connect(packet)) client.version5 = new Mqtt5Connection(client, socket, packet);
      const tooLarge = findPacketSizeFault(packet);
      if (tooLarge) return tooLarge;
      return client.version5 ? client.version5.read(packet) : packet;
    };
    const end = (fault: PacketFault | null) => {
      if (!fault) return client.close();
      if (client.session) logRefusal(client.session.by.username, `connection ended: ${fault.why}`);
      else log.debug({ address: socket.remoteAddress }, `connection ended: ${fault.why}`);
      endConnection(client, fault.reasonCode);
    };
    limitPacketSize(client, socket, { read, end });
  };
}
