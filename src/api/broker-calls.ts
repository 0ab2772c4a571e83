import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { omitUndefined } from '#src/core/omit-undefined.ts';
import { type BrokerAccess, isClientIdOfAnotherLogin } from '#src/devices/broker-access.ts';
import { findTopicOfRoutingKey } from '#src/devices/topics.ts';

/** Maximum size in bytes of the body of a broker's request. It is small, because names, passwords and topics are short. */
const BODY_LIMIT = 65_536;

/** Maximum number of topics that are checked in one SUBSCRIBE. A home subscribes to only one topic. */
const MAX_TOPICS = 20;

type Call = Record<string, string>;

/**
 * Adds the endpoints that MQTT brokers call to authenticate and authorise clients. Each broker has its own format (EMQX, VerneMQ,
 * RabbitMQ, mosquitto-go-auth). A failure is returned as an error, never as a permission.
 */
export function addBrokerAuthRoutes(app: FastifyInstance, access: BrokerAccess): void {
  app.register(async (calls) => {
    calls.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
      done(null, Object.fromEntries(new URLSearchParams(String(body)))),
    );
    calls.post('/internal/mqtt/authenticate', { bodyLimit: BODY_LIMIT }, async (request, reply) => {
      const call = textsOf(request.body);
      const { username = '', password = '', clientid, client_id: clientId = clientid, mountpoint = '' } = call;
      const isKnown =
        !isClientIdOfAnotherLogin(username, clientId ?? '') && (await access.mayLogIn(username, password));
      const sessionClientId = clientId !== undefined && isKnown ? access.clientIdOf(username, clientId) : undefined;
      return answer(
        request,
        reply,
        isKnown,
        sessionClientId === undefined ? undefined : { clientId: sessionClientId, mountpoint },
      );
    });
    calls.post('/internal/mqtt/authorize', { bodyLimit: BODY_LIMIT }, async (request, reply) => {
      const call = textsOf(request.body);
      const { username = '' } = call;
      const topics = topicsOf(request.body, call);
      const action = actionOf(request, call);
      const isOwn = access.isOwn(username);
      const may = await Promise.all(topics.slice(0, MAX_TOPICS).map((topic) => access.may(username, action, topic)));
      const isAllowed = topics.length > 0 && topics.length <= MAX_TOPICS && may.every(Boolean);
      return answer(request, reply, isAllowed || isOwn || isWayThere(access, call));
    });
  });
}

/** Returns the members of a broker's request that are strings or numbers, as strings. */
function textsOf(body: unknown): Call {
  if (typeof body !== 'object' || body === null) return {};
  return Object.fromEntries(
    Object.entries(body)
      .filter(([, value]) => typeof value === 'string' || typeof value === 'number')
      .map(([name, value]) => [name, String(value)]),
  );
}

/**
 * Returns the topics to which a broker's request asks for access. VerneMQ sends a list of subscribed topics. RabbitMQ sends a routing key,
 * which corresponds to at most one topic of the service.
 */
function topicsOf(body: unknown, call: Call): string[] {
  const list = (body as { topics?: unknown } | null)?.topics;
  if (Array.isArray(list)) return list.map((one) => String((one as { topic?: unknown } | null)?.topic ?? ''));
  if (call.routing_key !== undefined) return [findTopicOfRoutingKey(call.routing_key) ?? ''];
  return call.topic === undefined ? [] : [call.topic];
}

/**
 * Exchanges of RabbitMQ to which clients may publish: the exchange that the workers read, and the default exchange of the MQTT
 * plug-in.
 */
const MQTT_EXCHANGES = ['energy.mqtt', 'amq.topic'];

/**
 * Whether the client may pass RabbitMQ's checks that come before the check of a topic: access to the virtual host, or to the
 * exchange of all MQTT messages.
 */
function isWayThere(access: BrokerAccess, call: Call): boolean {
  const { username = '', client_id: clientId = '', topic, routing_key, vhost, resource, name = '', permission } = call;
  if (topic !== undefined || routing_key !== undefined || vhost === undefined) return false;
  if (resource === undefined) return access.mayUseCluster(username, clientId);
  return resource === 'exchange' && MQTT_EXCHANGES.includes(name) && permission === 'write';
}

/**
 * Returns whether a broker's request is about publishing or subscribing. EMQX sends this in `action`, mosquitto-go-auth in `acc`
 * (2: write), RabbitMQ in `permission`, and VerneMQ in a header.
 */
function actionOf(request: FastifyRequest, call: Call): 'publish' | 'subscribe' {
  const hook = request.headers['vernemq-hook'];
  const isPublish =
    call.action === 'publish' ||
    call.acc === '2' ||
    call.permission === 'write' ||
    String(hook).startsWith('auth_on_publish');
  return isPublish ? 'publish' : 'subscribe';
}

/**
 * Responds to a broker's request in a format that the broker expects. `kept`: client id under which the broker should store a
 * persistent session.
 */
function answer(
  request: FastifyRequest,
  reply: FastifyReply,
  isAllowed: boolean,
  kept?: { clientId: string; mountpoint: string },
): FastifyReply {
  if (request.headers['vernemq-hook'] !== undefined) {
    const modifiers = kept && { subscriber_id: { client_id: kept.clientId, mountpoint: kept.mountpoint } };
    return reply.send({ result: isAllowed ? 'ok' : { error: 'not_allowed' }, ...omitUndefined({ modifiers }) });
  }
  const word = isAllowed ? 'allow' : 'deny';
  if (String(request.headers['content-type']).startsWith('application/x-www-form-urlencoded')) {
    return reply.type('text/plain').send(word);
  }
  return reply.send({
    result: word,
    ok: isAllowed,
    is_superuser: false,
    ...omitUndefined({ clientid_override: kept?.clientId, error: isAllowed ? undefined : 'not allowed' }),
  });
}
