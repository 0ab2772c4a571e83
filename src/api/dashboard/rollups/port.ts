import type { Capabilities } from '#src/database/capabilities.ts';
import type { Pool } from '#src/database/connect.ts';

/** What a check of the aggregates needs beside the queries of a request. */
export interface RollupsPort {
  pool: Pool;
  capabilities: Capabilities;
  /** How long readings are kept: nothing older is checked. */
  retentionMonths: number;
}
