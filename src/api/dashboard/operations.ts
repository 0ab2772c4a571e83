import type { AnyOperation } from '#src/api/operation.ts';
import { alertFirings } from './alerts/firings.ts';
import { listAuditEntries } from './audit/list.ts';
import { listHeldDevices } from './devices/held.ts';
import { getUsageBreakdown } from './figure/get.ts';
import { checkImport } from './imports/check.ts';
import { listWaiting } from './imports/waiting.ts';
import { getOperator } from './operator/get.ts';
import { getPeriodCosts } from './period/costs.ts';
import { getPeriod } from './period/get.ts';
import { getPower } from './period/power.ts';
import { listUsablePriceSeries } from './price-series/list.ts';
import { listRejected } from './rejected/list.ts';
import { replayRejected } from './rejected/replay.ts';
import { checkRollups } from './rollups/check.ts';
import { endUserSession } from './sessions/end.ts';
import { listSessions } from './sessions/list.ts';
import { answerSwap, listSwaps } from './swaps/swaps.ts';
import { webhookDelivery } from './webhooks/delivery.ts';

/** Operations that only the dashboard uses, in addition to those of the interface. They are not stable: they change with its pages. */
export const DASHBOARD_OPERATIONS: readonly AnyOperation[] = [
  getPeriod,
  getPeriodCosts,
  getPower,
  getUsageBreakdown,
  listSwaps,
  answerSwap,
  listUsablePriceSeries,
  listSessions,
  endUserSession,
  alertFirings,
  webhookDelivery,
  getOperator,
  listRejected,
  replayRejected,
  checkRollups,
  listAuditEntries,
  listHeldDevices,
  checkImport,
  listWaiting,
];
