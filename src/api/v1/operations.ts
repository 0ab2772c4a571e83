import type { AnyOperation } from '../operation.ts';
import { createAlert } from './alerts/create.ts';
import { deleteAlert } from './alerts/delete.ts';
import { getAlert } from './alerts/get.ts';
import { listAlerts } from './alerts/list.ts';
import { previewAlert } from './alerts/preview.ts';
import { updateAlert } from './alerts/update.ts';
import { monthlyAnalytics } from './analytics/monthly.ts';
import { listAudit } from './audit/list.ts';
import { closeBillPeriod } from './bill-periods/close.ts';
import { createBillPeriod } from './bill-periods/create.ts';
import { deleteBillPeriod } from './bill-periods/delete.ts';
import { getBillPeriod } from './bill-periods/get.ts';
import { listBillPeriods } from './bill-periods/list.ts';
import { recordBillVersion } from './bill-periods/record.ts';
import { createDevice } from './devices/create.ts';
import { createDeviceEdit } from './devices/create-edit.ts';
import { deleteDevice } from './devices/delete.ts';
import { discoveredDevices } from './devices/discovered.ts';
import { getDevice } from './devices/get.ts';
import { listDevices } from './devices/list.ts';
import { listDeviceEdits } from './devices/list-edits.ts';
import { deviceQuality } from './devices/quality.ts';
import { releaseDevice } from './devices/release.ts';
import { revokeDeviceEdit } from './devices/revoke-edit.ts';
import { updateDevice } from './devices/update.ts';
import { deviceUsage } from './devices/usage.ts';
import { getEnergyInsights } from './energy-insights/get.ts';
import { postEnergyInsights } from './energy-insights/post.ts';
import { listFleetDevices } from './fleet/devices.ts';
import { getFleetSilence } from './fleet/silence.ts';
import { createGateway } from './gateways/create.ts';
import { decodeMessage } from './gateways/decode.ts';
import { deleteGateway } from './gateways/delete.ts';
import { listGateways } from './gateways/list.ts';
import { unreadMessages } from './gateways/unread.ts';
import { updateGateway } from './gateways/update.ts';
import { addGroupUser } from './groups/add-user.ts';
import { changeGroupUsers } from './groups/change-users.ts';
import { createGroup } from './groups/create.ts';
import { deleteGroup } from './groups/delete.ts';
import { groupEnergyInsights } from './groups/energy-insights.ts';
import { getGroup } from './groups/get.ts';
import { listGroups } from './groups/list.ts';
import { removeGroupUser } from './groups/remove-user.ts';
import { updateGroup } from './groups/update.ts';
import { listGroupUsers } from './groups/users.ts';
import { createImport } from './imports/create.ts';
import { fetchImportCredentials } from './imports/credentials.ts';
import { getImport } from './imports/get.ts';
import { createKey } from './keys/create.ts';
import { listKeys } from './keys/list.ts';
import { revokeKey } from './keys/revoke.ts';
import { rotateKey } from './keys/rotate.ts';
import { updateKey } from './keys/update.ts';
import { createPriceSeries } from './price-series/create.ts';
import { deletePriceSeries } from './price-series/delete.ts';
import { getPriceSeries } from './price-series/get.ts';
import { listPriceSeries } from './price-series/list.ts';
import { listPrices } from './price-series/prices.ts';
import { putPrices } from './price-series/put-prices.ts';
import { createProvisioningBatch } from './provisioning-batches/create.ts';
import { listProvisioningBatches } from './provisioning-batches/list.ts';
import { revokeProvisioningBatch } from './provisioning-batches/revoke.ts';
import { createTariff } from './tariffs/create.ts';
import { deleteTariff } from './tariffs/delete.ts';
import { getTariff } from './tariffs/get.ts';
import { listTariffs } from './tariffs/list.ts';
import { updateTariff } from './tariffs/update.ts';
import { streamUsage } from './usage/stream.ts';
import { createUser } from './users/create.ts';
import { deleteUser } from './users/delete.ts';
import { exportUser } from './users/export.ts';
import { getUser } from './users/get.ts';
import { listUsers } from './users/list.ts';
import { updateUser } from './users/update.ts';
import { createWebhook } from './webhooks/create.ts';
import { deleteWebhook } from './webhooks/delete.ts';
import { webhookDeliveries } from './webhooks/deliveries.ts';
import { getDelivery } from './webhooks/delivery.ts';
import { listWebhooks } from './webhooks/list.ts';
import { retryDelivery } from './webhooks/retry.ts';
import { testWebhook } from './webhooks/test.ts';
import { updateWebhook } from './webhooks/update.ts';

/** Every operation of the interface, by the name that clients know it by (OpenAPI's operationId). */
const NAMED = {
  getEnergyInsights,
  postEnergyInsights,
  monthlyAnalytics,
  streamUsage,
  createAlert,
  listAlerts,
  getAlert,
  updateAlert,
  deleteAlert,
  previewAlert,
  createUser,
  listUsers,
  getUser,
  updateUser,
  deleteUser,
  exportUser,
  createWebhook,
  listWebhooks,
  updateWebhook,
  deleteWebhook,
  webhookDeliveries,
  getDelivery,
  retryDelivery,
  testWebhook,
  createDevice,
  listDevices,
  discoveredDevices,
  getDevice,
  updateDevice,
  deleteDevice,
  deviceUsage,
  releaseDevice,
  listFleetDevices,
  getFleetSilence,
  deviceQuality,
  createDeviceEdit,
  listDeviceEdits,
  revokeDeviceEdit,
  createGateway,
  listGateways,
  updateGateway,
  decodeMessage,
  deleteGateway,
  unreadMessages,
  createGroup,
  listGroups,
  getGroup,
  updateGroup,
  deleteGroup,
  listGroupUsers,
  changeGroupUsers,
  addGroupUser,
  removeGroupUser,
  groupEnergyInsights,
  createImport,
  getImport,
  fetchImportCredentials,
  createProvisioningBatch,
  listProvisioningBatches,
  revokeProvisioningBatch,
  createBillPeriod,
  listBillPeriods,
  getBillPeriod,
  recordBillVersion,
  closeBillPeriod,
  deleteBillPeriod,
  createTariff,
  listTariffs,
  getTariff,
  updateTariff,
  deleteTariff,
  createPriceSeries,
  listPriceSeries,
  getPriceSeries,
  deletePriceSeries,
  listPrices,
  putPrices,
  createKey,
  listKeys,
  updateKey,
  revokeKey,
  rotateKey,
  listAudit,
};

export type OperationName = keyof typeof NAMED;

export const OPERATIONS: readonly (AnyOperation & { name: OperationName })[] = Object.entries(NAMED).map(
  ([name, operation]) => ({ ...(operation as AnyOperation), name: name as OperationName }),
);
