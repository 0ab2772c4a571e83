import { isTooFarAhead } from '#src/core/believed-time.ts';
import { DAY_MS } from '#src/core/units.ts';
import { isSeen } from '../facts.ts';
import { type Check, type Finding, ok, problem, skipped, warning } from '../finding.ts';

/** Readings of more than 5 minutes in the future are rejected; a second is what sums over the minute feel. */
const WARN_MS = 2_000;
const FAIL_MS = 60_000;

export const clock: Check = {
  name: 'clock',
  judge({ database, nowMs }) {
    if (!database || !isSeen(database.server)) return [skipped('not compared: no database answers')];
    const { clock, content } = database.server;
    const unconfirmed = content && isSeen(content) ? judgeBelieved(nowMs, content.believedMs) : null;
    if (unconfirmed) return [unconfirmed];
    const { aheadMs, uncertainMs } = clock;
    const offMs = Math.max(0, Math.abs(aheadMs) - uncertainMs);
    const seconds = (Math.abs(aheadMs) / 1_000).toFixed(1);
    const what = `the database’s clock is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} this machine’s`;
    const todo = 'Let both machines keep time by NTP (timedatectl set-ntp true; chronyc tracking).';
    if (offMs > FAIL_MS) return [problem(`${what}: readings would count as of the future, or of the past`, todo)];
    if (offMs > WARN_MS) return [warning(what, todo)];
    return [ok('that of the database and this machine’s agree')];
  },
};

const CONFIRM = 'Set the clock right. If it is right already: energy doctor --confirm-clock.';

/** A clock that the service does not follow before an operator has confirmed it. */
function judgeBelieved(nowMs: number, believedMs: number | null): Finding | null {
  if (believedMs === null) return null;
  const days = Math.round(Math.abs(nowMs - believedMs) / DAY_MS);
  if (isTooFarAhead(nowMs, believedMs))
    return problem(
      `this machine’s clock is ${days} days ahead of the last time at which this installation was in use: nothing is deleted by age, and a start stamps messages by that time`,
      CONFIRM,
    );
  if (nowMs < believedMs - DAY_MS)
    return problem(
      `this machine’s clock is ${days} days behind the time at which this installation was in use`,
      CONFIRM,
    );
  return null;
}
