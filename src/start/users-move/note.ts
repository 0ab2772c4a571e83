import type { Database } from '#src/database/connect.ts';
import { COMMAND_LINE, recordAct } from '#src/users/audit.ts';

/** Notes that accounts left for another installation, or came from one; in the transaction of what moves them. */
export async function noteMove(
  db: Database,
  userIds: readonly string[],
  action: 'user.moved' | 'user.arrived',
  details: { to: string } | { from: string },
): Promise<void> {
  for (const target of userIds) await recordAct(db, { actor: null, address: COMMAND_LINE, action, target, details });
}
