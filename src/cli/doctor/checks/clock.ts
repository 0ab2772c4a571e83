import { isSeen } from '../facts.ts';
import { type Check, ok, problem, skipped, warning } from '../finding.ts';

/** Readings of more than 5 minutes in the future are rejected; a second is what sums over the minute feel. */
const WARN_MS = 2_000;
const FAIL_MS = 60_000;

export const clock: Check = {
  name: 'clock',
  judge({ database }) {
    if (!database || !isSeen(database.server)) return [skipped('not compared: no database answers')];
    const { aheadMs, uncertainMs } = database.server.clock;
    const offMs = Math.max(0, Math.abs(aheadMs) - uncertainMs);
    const seconds = (Math.abs(aheadMs) / 1_000).toFixed(1);
    const what = `the database’s clock is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} this machine’s`;
    const todo = 'Let both machines keep time by NTP (timedatectl set-ntp true; chronyc tracking).';
    if (offMs > FAIL_MS) return [problem(`${what}: readings would count as of the future, or of the past`, todo)];
    if (offMs > WARN_MS) return [warning(what, todo)];
    return [ok('that of the database and this machine’s agree')];
  },
};
