import type { AnyOperation } from '#src/api/operation.ts';
import { checkImport, endUserSession, listSessions, listUnfetchedImports } from './account.ts';
import {
  alertFirings,
  answerSwap,
  listHeldDevices,
  listSwaps,
  listUsablePriceSeries,
  webhookDelivery,
} from './devices.ts';
import { checkRollups, getOperator, listAuditEntries, listRejected, replayRejected } from './operator.ts';
import { createPasskey, deletePasskey, listPasskeys } from './passkeys.ts';
import { getPeriod, getPeriodCosts, getPower, getPriceCurve, getUsageBreakdown } from './periods.ts';

/** Operations that only the dashboard uses, in addition to those of the interface. They are not stable: they change with its pages. */
export const DASHBOARD_OPERATIONS: readonly AnyOperation[] = [
  getPeriod,
  getPeriodCosts,
  getPower,
  getPriceCurve,
  getUsageBreakdown,
  listSwaps,
  answerSwap,
  listUsablePriceSeries,
  listSessions,
  endUserSession,
  listPasskeys,
  createPasskey,
  deletePasskey,
  alertFirings,
  webhookDelivery,
  getOperator,
  listRejected,
  replayRejected,
  checkRollups,
  listAuditEntries,
  listHeldDevices,
  checkImport,
  listUnfetchedImports,
];
