import { z } from 'zod';
import { paginationFields, userIdField } from '#src/api/fields.ts';
import { defineOperation } from '#src/api/operation.ts';
import { messageSchema, respondOrThrowNotFound } from '#src/api/shapes.ts';
import {
  checkDeviceIdentityAllowed,
  checkManagerChangeAllowed,
  loadAccessibleUser,
  requireStorableId,
  resolveRequestedUserId,
} from '#src/auth/access.ts';
import { requireFound } from '#src/core/errors.ts';
import { omitUndefined } from '#src/core/omit-undefined.ts';
import { listDiscoveredDevices } from '#src/devices/gateways.ts';
import { findManagersOfNewDevices } from '#src/devices/management.ts';
import * as deviceStore from '#src/devices/store.ts';
import { getReadingsTopic } from '#src/devices/topics.ts';
import { releaseDevice as release } from '#src/onboarding/claims.ts';
import * as shapes from './shape.ts';

export const createDevice = defineOperation('POST /v1/devices', {
  summary:
    'Pairs a device. Its MQTT password is shown only once. A device that was discovered through a gateway keeps using the credentials of the gateway.',
  audit: { action: 'device.paired', target: 'device_id' },
  scope: 'devices:write',
  answer: shapes.pairedDeviceSchema,
  body: shapes.newDeviceSchema,
  async handle({ db, caller, reach, body: { user_id, discovery_id, ...settings } }) {
    const user = await loadAccessibleUser(db, caller, user_id);
    checkDeviceIdentityAllowed(caller, [settings]);
    const managedBy = (await findManagersOfNewDevices(db, reach, [user.user_id]))(user.user_id);
    const wanted = { userId: user.user_id, managedBy, ...omitUndefined(settings) };
    if (discovery_id !== undefined) {
      return shapes.deviceToResponse(
        requireFound(await deviceStore.pairDiscoveredDevice(db, reach, requireStorableId(discovery_id), wanted)),
      );
    }
    const { device, secret } = await deviceStore.createDevice(db, wanted);
    const mqtt = { username: device.device_id, password: secret, topic: getReadingsTopic(device.device_id) };
    return { ...shapes.deviceToResponse(device), mqtt };
  },
});

export const listDevices = defineOperation('GET /v1/devices', {
  summary: 'Lists the devices of a user, page by page.',
  scope: 'devices:read',
  answer: z.array(shapes.deviceSchema),
  query: z.object({ user_id: userIdField.optional(), ...paginationFields }),
  async handle({ db, caller, reach, query: { user_id }, page }) {
    const userId = await resolveRequestedUserId(db, caller, user_id);
    const rows = await page('device_id', (at) => deviceStore.listDevices(db, reach, userId, at));
    return rows.map(shapes.deviceToResponse);
  },
});

export const discoveredDevices = defineOperation('GET /v1/devices/discovered', {
  summary: 'Lists the devices that were discovered through a user’s gateways and are not paired, page by page.',
  scope: 'devices:read',
  answer: z.array(shapes.discoveredDeviceSchema),
  query: z.object({ user_id: userIdField.optional(), ...paginationFields }),
  async handle({ db, caller, reach, query: { user_id }, page }) {
    const userId = await resolveRequestedUserId(db, caller, user_id);
    const rows = await page('discovery_id', (at) => listDiscoveredDevices(db, reach, userId, at));
    return rows.map(shapes.discoveredDeviceToResponse);
  },
});

export const getDevice = defineOperation('GET /v1/devices/{device_id}', {
  summary: 'Returns one device with its settings.',
  scope: 'devices:read',
  answer: shapes.deviceDetailsSchema,
  handle: async ({ db, reach, params }) =>
    shapes.deviceDetailsToResponse(requireFound(await deviceStore.findDevice(db, reach, params.device_id))),
});

export const updateDevice = defineOperation('PATCH /v1/devices/{device_id}', {
  summary: 'Changes a device. Limits and `counts_as` also apply to the past, which is recomputed within seconds.',
  audit: { action: 'device.changed', target: 'device_id' },
  scope: 'devices:write',
  answer: shapes.deviceDetailsSchema,
  body: shapes.devicePatchSchema,
  async handle({ db, caller, reach, params, body: patch }) {
    checkDeviceIdentityAllowed(caller, [patch]);
    checkManagerChangeAllowed(caller, patch.managed_by);
    const { certificate_sha256: written, ...others } = patch;
    const certificate =
      written === undefined ? {} : { certificate_sha256: written === null ? null : Buffer.from(written, 'hex') };
    const changes = { ...omitUndefined(others), ...certificate };
    const row = await deviceStore.updateDevice(db, reach, params.device_id, changes);
    return shapes.deviceDetailsToResponse(requireFound(row));
  },
});

export const deleteDevice = defineOperation('DELETE /v1/devices/{device_id}', {
  summary: 'Deletes a device and its credentials. Its past consumption stays in its owner’s history.',
  audit: { action: 'device.deleted', target: 'device_id' },
  scope: 'devices:write',
  answer: messageSchema,
  handle: async ({ db, reach, params }) =>
    respondOrThrowNotFound(
      await deviceStore.deleteDevice(db, reach, params.device_id),
      `Device ${params.device_id} was deleted; its past consumption stays`,
    ),
});

export const releaseDevice = defineOperation('POST /v1/devices/{device_id}/release', {
  summary:
    'Releases a device, so that a meter of a provisioning batch can claim it again if its serial is the device’s `external_id`. The previous password becomes invalid.',
  status: 200,
  audit: { action: 'device.released', target: 'device_id' },
  scope: 'devices:write',
  answer: messageSchema,
  handle: async ({ db, reach, params: { device_id } }) =>
    respondOrThrowNotFound(
      await release(db, reach, device_id),
      `Device ${device_id} was released; its password is no longer valid`,
    ),
});
