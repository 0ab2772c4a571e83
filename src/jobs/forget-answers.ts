import type { Database } from '#src/database/connect.ts';
import { forgetAnswers as forget } from '#src/users/idempotent-answers.ts';
import type { Job } from './schedule.ts';

/** Forgets the idempotent answers of more than a day ago, hourly. */
export function forgetAnswers(db: Database): Job {
  return {
    name: 'forget answers',
    at: '29 * * * *',
    alsoAtStart: false,
    async run() {
      await forget(db);
    },
  };
}
