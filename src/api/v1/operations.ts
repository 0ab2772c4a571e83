import type { AnyOperation } from '../operation.ts';
import { createAlert, deleteAlert, getAlert, listAlerts, previewAlert, updateAlert } from './alerts/operations.ts';
import { monthlyAnalytics } from './analytics/operations.ts';
import { createApp, deleteApp, getApp, listApps, updateApp } from './apps/operations.ts';
import { listAudit } from './audit/operations.ts';
import { endAuthorization, listAuthorizations } from './authorizations/operations.ts';
import {
  closeBillPeriod,
  createBillPeriod,
  deleteBillPeriod,
  getBillPeriod,
  listBillPeriods,
  recordBillVersion,
} from './bill-periods/operations.ts';
import { createDeviceEdit, listDeviceEdits, revokeDeviceEdit } from './devices/edits.ts';
import { listDeviceReadings } from './devices/list-readings.ts';
import {
  createDevice,
  deleteDevice,
  discoveredDevices,
  getDevice,
  listDevices,
  releaseDevice,
  updateDevice,
} from './devices/operations.ts';
import { deviceQuality } from './devices/quality.ts';
import { sendReadings } from './devices/send-readings.ts';
import { deviceUsage } from './devices/usage.ts';
import { getEnergyInsights } from './energy-insights/get.ts';
import { postEnergyInsights } from './energy-insights/post.ts';
import { getFleetSilence, listFleetDevices } from './fleet/operations.ts';
import {
  createGateway,
  decodeMessage,
  deleteGateway,
  listGateways,
  unreadMessages,
  updateGateway,
} from './gateways/operations.ts';
import { groupEnergyInsights } from './groups/energy-insights.ts';
import {
  addGroupUser,
  changeGroupUsers,
  createGroup,
  deleteGroup,
  getGroup,
  listGroups,
  listGroupUsers,
  removeGroupUser,
  updateGroup,
} from './groups/operations.ts';
import { createImport, fetchImportCredentials, getImport } from './imports/operations.ts';
import { createKey, listKeys, revokeKey, rotateKey, updateKey } from './keys/operations.ts';
import {
  acceptMembership,
  inviteMember,
  leaveMembership,
  listMembers,
  listMemberships,
  removeMember,
} from './members/operations.ts';
import {
  createProvisioningBatch,
  listProvisioningBatches,
  revokeProvisioningBatch,
} from './provisioning-batches/operations.ts';
import { getForecast, listRemarks } from './remarks/operations.ts';
import {
  createEmissionSeries,
  createPriceSeries,
  deleteEmissionSeries,
  deletePriceSeries,
  getEmissionSeries,
  getPriceSeries,
  listEmissionSeries,
  listIntensities,
  listPriceSeries,
  listPrices,
  putIntensities,
  putPrices,
} from './series/operations.ts';
import { deleteIntensities, deletePrices, updateEmissionSeries, updatePriceSeries } from './series/sources.ts';
import {
  compareTariffs,
  createTariff,
  deleteTariff,
  getTariff,
  listTariffs,
  updateTariff,
} from './tariffs/operations.ts';
import { streamUsage } from './usage/operations.ts';
import { createUser, deleteUser, exportUser, getUser, listUsers, updateUser } from './users/operations.ts';
import {
  createWebhook,
  deleteWebhook,
  getDelivery,
  listWebhooks,
  retryDelivery,
  testWebhook,
  updateWebhook,
  webhookDeliveries,
} from './webhooks/operations.ts';
import { whatIf } from './what-if/operations.ts';

/** All operations of the interface, by OpenAPI's operationId. */
const NAMED = {
  getEnergyInsights,
  postEnergyInsights,
  monthlyAnalytics,
  streamUsage,
  listRemarks,
  getForecast,
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
  sendReadings,
  createDeviceEdit,
  listDeviceEdits,
  revokeDeviceEdit,
  listDeviceReadings,
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
  compareTariffs,
  whatIf,
  createPriceSeries,
  listPriceSeries,
  getPriceSeries,
  updatePriceSeries,
  deletePriceSeries,
  listPrices,
  putPrices,
  deletePrices,
  createEmissionSeries,
  listEmissionSeries,
  getEmissionSeries,
  updateEmissionSeries,
  deleteEmissionSeries,
  listIntensities,
  putIntensities,
  deleteIntensities,
  createKey,
  listKeys,
  updateKey,
  revokeKey,
  rotateKey,
  inviteMember,
  listMembers,
  removeMember,
  acceptMembership,
  listMemberships,
  leaveMembership,
  createApp,
  listApps,
  getApp,
  updateApp,
  deleteApp,
  listAuthorizations,
  endAuthorization,
  listAudit,
};

export type OperationName = keyof typeof NAMED;

export const OPERATIONS: readonly (AnyOperation & { name: OperationName })[] = Object.entries(NAMED).map(
  ([name, operation]) => ({ ...(operation as AnyOperation), name: name as OperationName }),
);
