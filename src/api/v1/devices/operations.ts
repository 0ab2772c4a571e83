import { z } from 'zod';
import { idField, pageFields, userIdField } from '#src/api/fields.ts';
import { defineOperation } from '#src/api/operation.ts';
import { fetchPage } from '#src/api/pages.ts';
import * as shapes from '#src/api/shapes.ts';
import {
  checkIdentities,
  checkManager,
  loadAccessibleUser,
  reachOf,
  reachUserId,
  toIdOrNotFound,
} from '#src/auth/access.ts';
import { AppError, requireFound } from '#src/core/errors.ts';
import { omitUndefined } from '#src/core/omit-undefined.ts';
import { listDiscoveredDevices } from '#src/devices/gateways.ts';
import { futureManagersOf } from '#src/devices/management.ts';
import {
  createDevice as create,
  findDevice,
  listDevices as list,
  pairDiscovered,
  deleteDevice as remove,
  updateDevice as update,
} from '#src/devices/store.ts';
import { readingsTopic } from '#src/devices/topics.ts';
import { releaseDevice as release } from '#src/onboarding/claims.ts';
import {
  detailsToResponse,
  device,
  deviceDetails,
  devicePatch,
  discovered,
  discoveredToResponse,
  newDevice,
  pairedDevice,
  toResponse,
} from './shape.ts';

export const createDevice = defineOperation({
  summary:
    'Pairs a device. Its MQTT password is shown only once. A device that was discovered through a gateway keeps using the credentials of the gateway.',
  method: 'POST',
  path: '/v1/devices',
  audit: { action: 'device.paired', target: 'device_id' },
  scope: 'devices:write',
  answer: pairedDevice,
  body: newDevice,
  async handle({ context, caller, body: { user_id, discovery_id, ...settings } }) {
    const user = await loadAccessibleUser(context.db, caller, user_id);
    checkIdentities(caller, [settings]);
    const managedBy = (await futureManagersOf(context.db, reachOf(caller), [user.user_id]))(user.user_id);
    const wanted = { userId: user.user_id, managedBy, ...omitUndefined(settings) };
    if (discovery_id !== undefined) {
      return toResponse(
        requireFound(await pairDiscovered(context.db, reachOf(caller), toIdOrNotFound(discovery_id), wanted)),
      );
    }
    const { device, secret } = await create(context.db, wanted);
    const mqtt = { username: device.device_id, password: secret, topic: readingsTopic(device.device_id) };
    return { ...toResponse(device), mqtt };
  },
});

export const listDevices = defineOperation({
  summary: 'Lists the devices of a user, page by page.',
  method: 'GET',
  path: '/v1/devices',
  scope: 'devices:read',
  answer: z.array(device),
  query: z.object({ user_id: userIdField.optional(), ...pageFields }),
  async handle({ context, caller, query: { user_id, ...asked }, reply, url }) {
    const userId = await reachUserId(context.db, caller, user_id);
    const find = (page: { limit: number; cursor?: string }) => list(context.db, reachOf(caller), userId, page);
    const rows = await fetchPage(reply, url, asked, find, (one) => one.device_id);
    return rows.map(toResponse);
  },
});

export const discoveredDevices = defineOperation({
  summary: 'Lists the devices that were discovered through a user’s gateways and are not paired, page by page.',
  method: 'GET',
  path: '/v1/devices/discovered',
  scope: 'devices:read',
  answer: z.array(discovered),
  query: z.object({ user_id: userIdField.optional(), ...pageFields }),
  async handle({ context, caller, query: { user_id, ...asked }, reply, url }) {
    const userId = await reachUserId(context.db, caller, user_id);
    const find = (page: { limit: number; cursor?: string }) =>
      listDiscoveredDevices(context.db, reachOf(caller), userId, page);
    const rows = await fetchPage(reply, url, asked, find, (one) => one.discovery_id);
    return rows.map(discoveredToResponse);
  },
});

export const getDevice = defineOperation({
  summary: 'Returns one device with its settings.',
  method: 'GET',
  path: '/v1/devices/{device_id}',
  scope: 'devices:read',
  answer: deviceDetails,
  params: z.object({ device_id: idField }),
  handle: async ({ context, caller, params }) =>
    detailsToResponse(requireFound(await findDevice(context.db, reachOf(caller), toIdOrNotFound(params.device_id)))),
});

export const updateDevice = defineOperation({
  summary: 'Changes a device. Limits and `counts_as` also apply to the past, which is recomputed within seconds.',
  method: 'PATCH',
  path: '/v1/devices/{device_id}',
  audit: { action: 'device.changed', target: 'device_id' },
  scope: 'devices:write',
  answer: deviceDetails,
  params: z.object({ device_id: idField }),
  body: devicePatch,
  async handle({ context, caller, params, body: patch }) {
    checkIdentities(caller, [patch]);
    checkManager(caller, patch.managed_by);
    const { certificate_sha256: written, ...others } = patch;
    const certificate =
      written === undefined ? {} : { certificate_sha256: written === null ? null : Buffer.from(written, 'hex') };
    const changes = { ...omitUndefined(others), ...certificate };
    const row = await update(context.db, reachOf(caller), toIdOrNotFound(params.device_id), changes);
    return detailsToResponse(requireFound(row));
  },
});

export const deleteDevice = defineOperation({
  summary: 'Deletes a device and its credentials. Its past consumption stays in its owner’s history.',
  method: 'DELETE',
  path: '/v1/devices/{device_id}',
  audit: { action: 'device.deleted', target: 'device_id' },
  scope: 'devices:write',
  answer: shapes.message,
  params: z.object({ device_id: idField }),
  async handle({ context, caller, params }) {
    if (!(await remove(context.db, reachOf(caller), toIdOrNotFound(params.device_id)))) throw new AppError('notFound');
    return { message: `Device ${params.device_id} was deleted; its past consumption stays` };
  },
});

export const releaseDevice = defineOperation({
  summary:
    'Releases a device, so that a meter of a provisioning batch can claim it again if its serial is the device’s `external_id`. The previous password becomes invalid.',
  method: 'POST',
  path: '/v1/devices/{device_id}/release',
  status: 200,
  audit: { action: 'device.released', target: 'device_id' },
  scope: 'devices:write',
  answer: shapes.message,
  params: z.object({ device_id: idField }),
  async handle({ context, caller, params: { device_id } }) {
    if (!(await release(context.db, reachOf(caller), toIdOrNotFound(device_id)))) throw new AppError('notFound');
    return { message: `Device ${device_id} was released; its password is no longer valid` };
  },
});
