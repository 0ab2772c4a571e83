import type { AnyOperation } from '#src/api/operation.ts';

/** What only the dashboard asks. */
export const DASHBOARD_OPERATIONS: readonly AnyOperation[] = [];
