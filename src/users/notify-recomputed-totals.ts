import type { Database } from '#src/database/connect.ts';
import { createQueryFunction } from '#src/database/connect.ts';
import { joinOrBeginTransaction } from '#src/database/transaction.ts';
import { addEvents } from '#src/events/outbox.ts';

/** Maximum number of owners whom one transaction notifies. */
const MAX_TOLD = 500;

/**
 * Mails each owner of a home whose totals an update of the service has changed. Returns the number of notified owners. Several workers may
 * run this at the same time, because the transaction that notifies an owner also clears the flag `home_recounted` in the owner's row.
 */
export async function notifyOwnersOfRecomputedTotals(db: Database, now: Date): Promise<number> {
  let notified = 0;
  for (;;) {
    const count = await joinOrBeginTransaction(db, async (trx) => {
      const users = await trx
        .updateTable('users')
        .set({ home_recounted: false })
        .where('user_id', 'in', (of) =>
          of
            .selectFrom('users')
            .select('user_id')
            .where('home_recounted', '=', true)
            .orderBy('user_id')
            .limit(MAX_TOLD)
            .forUpdate()
            .skipLocked(),
        )
        .returning('user_id')
        .execute();
      const events = users.map(({ user_id: userId }) => ({
        type: 'home.recounted' as const,
        userId,
        data: { user_id: userId },
        channel: 'email' as const,
      }));
      await addEvents(createQueryFunction(trx), events, now);
      return users.length;
    });
    notified += count;
    if (count < MAX_TOLD) return notified;
  }
}
