import type { ApiContext } from '#src/api/context.ts';
import type { Caller } from '#src/auth/authenticate.ts';
import { retentionStartMs } from '#src/database/history.ts';
import type { Editing } from '#src/devices/edits/store.ts';

/** Who edits readings now, and which of them are kept. */
export function editingBy({ clock, retentionMonths }: ApiContext, { userId }: Caller): Editing {
  const now = clock();
  return { author: userId, now, oldest: new Date(retentionStartMs(now.getTime(), retentionMonths)) };
}
