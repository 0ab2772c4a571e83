import type { AnyOperation } from '#src/api/operation.ts';
import { listOperations } from '#src/api/v1/operations.ts';
import * as account from './account.ts';
import * as devices from './devices.ts';
import * as operator from './operator.ts';
import * as passkeys from './passkeys.ts';
import * as periods from './periods.ts';

/**
 * Operations that only the dashboard uses, in addition to the public API. They change with the dashboard's pages, so other
 * programs must not use them.
 */
export const DASHBOARD_OPERATIONS: readonly AnyOperation[] = listOperations([
  account,
  devices,
  operator,
  passkeys,
  periods,
]);
