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
  refuseConnect,
} from './broker-session.ts';
import type { ClaimOptions } from './claiming.ts';
import { HomeTopicPublisher, type HomeUsageSource } from './home-topics.ts';
import { type ListenOptions, listenWithAndWithoutTls } from './listeners.ts';
import type { LoginLimits } from './login-limits.ts';
import { closeSessionsOfMovedLogins, watchMovedLogins } from './moved-logins.ts';
import { isMqtt5Connect, Mqtt5Connection } from './mqtt5.ts';
import { findPacketSizeFault, limitPacketSize, type PacketHeader } from './packet-limit.ts';
import { getReasonCode, type PacketFault, REASON_CODES } from './reason-codes.ts';
import type { MessageReceiver } from './source.ts';
import { UnreleasedMessages } from './unreleased-messages.ts';

/**
 * Maximum number of levels in a topic. If a client uses more levels, aedes closes the connection before it calls the hooks that check
 * permissions.
 */
const MAX_TOPIC_LEVELS = 100;
const TOO_MANY_LEVELS = 'topic has too many levels';
/** Packets that count as requests of a login. CONNECT counts too. */
const REQUESTS = new Set(['subscribe', 'unsubscribe']);
/** Interval in ms at which connections are closed whose login is no longer valid, for example because the device was deleted. */
const LOGINS_EVERY_MS = 10_000;
/**
 * Minimum delay of a will in seconds. Within this time, this process detects that the client has connected to another process
 * (`watchMovedLogins`).
 */
const WILL_DELAY_S = 2;
/**
 * If the database has not answered for this time (ms), the process is not ready. The time is longer than a failover of the database (20 s),
 * during which no process can serve.
 */
const LONGEST_SILENCE_MS = 30_000;
/** Interval in ms at which a stopping process checks whether connections remain. */
const LEAVING_LOOK_MS = 50;

type LogRefusal = ReturnType<typeof createLoginRefusalLog>;

export interface BrokerOptions extends LoginCheckOptions, ListenOptions {
  /** Source of the usage that is published to homes. Without it, subscriptions are refused. */
  homes?: HomeUsageSource;
  receive: MessageReceiver;
  log: Logger;
  homesEveryMs?: number;
  loginsEveryMs?: number;
  /**
   * Maximum time in ms that a stopping process gives its connections to move to other processes. With 0, connections end when the broker
   * closes.
   */
  drainMs?: number;
}

/**
 * Starts the broker (aedes) inside the ingest process. The service handles each PUBLISH of a device before aedes would acknowledge it, and
 * sends the PUBACK when the reading is committed (MQTT 3.1.1, 4.3.2). A connection may have many messages in flight. QoS 2 messages are
 * processed one by one, in order, and their PUBREC is also sent after the commit. A claiming meter can subscribe to the answer to its
 * claim, and a home's gateways to the usage of that home; all other subscriptions are refused. Packets of MQTT 5 are translated to 3.1.1
 * for aedes (`mqtt5.ts`).
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
    // This source is always connected, because the broker runs in this process.
    isConnected: () => true,
    pause: publishing.pause,
    resume: publishing.resume,
    /**
     * Whether clients should connect to this process. False if this process cannot reach the database; another process may still reach it.
     */
    isReady: () => (moving?.silentMs() ?? 0) < LONGEST_SILENCE_MS,
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

/** Creates aedes' authentication hook, which checks a login and begins its session. */
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
      // If the login was at another process since its last connection here, all state of the login in this process is outdated, including
      // open connections.
      if (by?.owner && (await options.places?.claim(by.username))) sessions.moveAway(by.username);
      return by;
    };
    logins.lookUp(look).then(
      (by) => {
        // If the client has disconnected during the login, nothing may be stored for it: aedes would not report the end of its connection.
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

/** Regularly ends connections whose login is no longer valid or has moved to another process, and evicts expired limits and sessions. */
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
 * Lets the connections of a stopping process move to other processes. In the first half of the time, a proxy detects that this process is
 * not ready, and ends its connections. Then the process accepts no more connections and ends the remaining ones. Resolves as soon as no
 * connection remains.
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

/** Publishes the usage of homes that have subscribers. Returns undefined if subscriptions are not allowed. */
function startHomeTopics(
  broker: Aedes,
  sessions: LoggedInConnections,
  { homes, homesEveryMs: everyMs, log }: BrokerOptions,
): HomeTopicPublisher | undefined {
  const publish = (userId: string, text: string) => {
    // Closes the connections of clients that do not read the published messages.
    sessions.endUnread();
    const topic = getHomeUsageTopic(userId);
    broker.publish({ cmd: 'publish', topic, payload: text, qos: 0, retain: true, dup: false }, () => {});
  };
  return homes && new HomeTopicPublisher(homes, publish, { log, ...(everyMs === undefined ? {} : { everyMs }) });
}

function subscribeAuthoriser(
  homes: HomeTopicPublisher | undefined,
  claims: ClaimOptions | undefined,
): Aedes['authorizeSubscribe'] {
  return (client, subscription, done) => {
    const { session, version5 } = client as BrokerConnection;
    // A claiming meter may subscribe to the topic of its answer. No client publishes on this topic: the answer is written directly to the
    // meter's connection.
    if (session?.claiming) return done(null, subscription.topic === claims?.replyTopic ? subscription : null);
    // QoS 0 is enough: a client that reconnects gets the retained message.
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

/** Creates the handler of ended subscriptions. A home without subscribers is no longer published. */
function unsubscriber(homes: HomeTopicPublisher | undefined) {
  return (topics: string[], client: Client) => {
    const { session, version5 } = client as BrokerConnection;
    for (const topic of topics) version5?.topics.delete(topic);
    const userIds = new Set(topics.map((topic) => parseHomeUsageTopic(topic)));
    for (const userId of userIds) if (session && userId !== null) homes?.leave(session, userId);
  };
}

/**
 * Aedes' hook before a message is sent. Withholds the retained message from a new subscription that asks for no retained messages (MQTT 5,
 * 3.8.3.1, retain handling 2).
 */
const forwardAuthoriser: Aedes['authorizeForward'] = (client, packet) => {
  const { subscriptions } = client as BrokerConnection;
  // `brokerId` is null only in a retained message that is sent for a new subscription.
  return packet.brokerId === null && subscriptions[packet.topic]?.rh === 2 ? null : packet;
};

/** Returns the handler of new connections, which limits their packets and the requests of their logins. */
function connectionHandler(
  broker: Aedes,
  logins: LoginLimits,
  { log, logRefusal }: { log: Logger; logRefusal: LogRefusal },
): (socket: Socket) => void {
  return (socket) => {
    const client = broker.handle(socket) as BrokerConnection;
    client.prependListener('error', (error: Error) => {
      if (!client.version5) refuseConnect(client, getReasonCode(error));
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
