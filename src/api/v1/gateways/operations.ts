import { z } from 'zod';
import { paginationFields, userIdField } from '#src/api/fields.ts';
import { defineOperation } from '#src/api/operation.ts';
import { messageSchema, respondOrThrowNotFound } from '#src/api/shapes.ts';
import { loadAccessibleUser, resolveRequestedUserId } from '#src/auth/access.ts';
import { AppError, requireFound } from '#src/core/errors.ts';
import { omitUndefined } from '#src/core/omit-undefined.ts';
import * as gatewayStore from '#src/devices/gateways.ts';
import { getGatewayTopicPrefix } from '#src/devices/topics.ts';
import { listUnrecognisedMessages } from '#src/devices/unrecognised-messages.ts';
import * as shapes from './shape.ts';

export const createGateway = defineOperation('POST /v1/gateways', {
  summary: 'Creates a gateway. Its MQTT password is shown only once.',
  audit: { action: 'gateway.created', target: 'gateway_id' },
  scope: 'devices:write',
  answer: shapes.createdGatewaySchema,
  body: shapes.newGatewaySchema,
  async handle({ db, caller, body: { user_id, name } }) {
    const user = await loadAccessibleUser(db, caller, user_id);
    const { gateway, secret } = await gatewayStore.createGateway(db, { userId: user.user_id, name });
    const { gateway_id } = gateway;
    return {
      ...shapes.gatewayToResponse(gateway),
      mqtt: { username: gateway_id, password: secret, topic_prefix: getGatewayTopicPrefix(gateway_id) },
    };
  },
});

export const listGateways = defineOperation('GET /v1/gateways', {
  summary: 'Lists the gateways of a user, page by page.',
  scope: 'devices:read',
  answer: z.array(shapes.gatewaySchema),
  query: z.object({ user_id: userIdField.optional(), ...paginationFields }),
  async handle({ db, caller, reach, query: { user_id }, page }) {
    const userId = await resolveRequestedUserId(db, caller, user_id);
    const rows = await page('gateway_id', (at) => gatewayStore.listGateways(db, reach, userId, at));
    return rows.map(shapes.gatewayToResponse);
  },
});

export const updateGateway = defineOperation('PATCH /v1/gateways/{gateway_id}', {
  summary: 'Renames a gateway, or changes the decoder settings for all devices below it.',
  audit: { action: 'gateway.changed', target: 'gateway_id' },
  scope: 'devices:write',
  answer: shapes.gatewaySchema,
  body: shapes.gatewayPatchSchema,
  async handle({ db, reach, params, body: patch }) {
    const row = await gatewayStore.updateGateway(db, reach, params.gateway_id, omitUndefined(patch));
    return shapes.gatewayToResponse(requireFound(row));
  },
});

export const deleteGateway = defineOperation('DELETE /v1/gateways/{gateway_id}', {
  summary: 'Deletes a gateway and its credentials. Devices that were paired through it remain, with their past.',
  audit: { action: 'gateway.deleted', target: 'gateway_id' },
  scope: 'devices:write',
  answer: messageSchema,
  handle: async ({ db, reach, params }) =>
    respondOrThrowNotFound(
      await gatewayStore.deleteGateway(db, reach, params.gateway_id),
      `Gateway ${params.gateway_id} was deleted`,
    ),
});

export const decodeMessage = defineOperation('POST /v1/gateways/{gateway_id}/decode', {
  summary:
    'Decodes a message of a gateway as a test: returns its readings, the reasons why it cannot be used, and settings that would help. Stores nothing.',
  changes: 'nothing',
  scope: 'devices:read',
  status: 200,
  answer: shapes.messageInterpretationSchema,
  body: shapes.messageRequestSchema,
  async handle({ context, db, reach, params, body: { topic, payload, payload_b64, retained, decoder_config } }) {
    const gateway = requireFound(await gatewayStore.findGateway(db, reach, params.gateway_id));
    if (!context.judge) throw new AppError('unavailable');
    return context.judge({
      gatewayId: gateway.gateway_id,
      topic,
      payload: payload_b64 === undefined ? Buffer.from(payload ?? '') : Buffer.from(payload_b64, 'base64'),
      receivedAtMs: context.clock().getTime(),
      replayed: retained ?? false,
      config: decoder_config ?? gateway.decoder_config,
    });
  },
});

export const unreadMessages = defineOperation('GET /v1/gateways/{gateway_id}/unread', {
  summary:
    'Lists messages of a gateway that no device family recognises, counted by the shape of their topic, page by page.',
  scope: 'devices:read',
  answer: z.array(shapes.unrecognisedMessagesSchema),
  query: z.object({ ...paginationFields }),
  async handle({ context, db, caller, reach, params, page }) {
    const gatewayId = params.gateway_id;
    const rows = await page('shape', async (at) =>
      requireFound(await listUnrecognisedMessages(db, reach, gatewayId, { ...at, now: context.clock() })),
    );
    // A key that is limited to a group of homes gets no payload, because a household's broker may publish private data.
    return rows.map((row) => shapes.unrecognisedMessageToResponse(caller.groupId ? { ...row, example: null } : row));
  },
});
