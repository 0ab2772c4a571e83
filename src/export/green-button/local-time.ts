import { DateTime } from 'luxon';
import { listOffsets } from '#src/energy/local-time.ts';

const NO_RULE = '00000000';
/** Number of years from which a rule for clock changes is derived. In fewer years, a fourth Sunday could always be the last one. */
const YEARS = 7;

/**
 * Returns ESPI's local time parameters: the zone's offset from UTC in seconds, and rules for daylight-saving time (32 bits in hexadecimal),
 * from the year of the given date on. If the clock changes follow no rule (Morocco), daylight-saving time is omitted.
 */
export function computeLocalTimeParameters(zone: string, date: string) {
  const year = Number(date.slice(0, 4));
  const from = new Date(Date.UTC(year, 0, 1));
  const to = new Date(Date.UTC(year + YEARS, 0, 1));
  const [{ offsetMs: firstMs }, ...changes] = listOffsets({ from, to, zone });
  const standardMs = Math.min(firstMs, ...changes.map(({ offsetMs }) => offsetMs));
  const without = { dstStartRule: NO_RULE, dstEndRule: NO_RULE, dstOffset: 0, tzOffset: firstMs / 1_000 };
  const forward = changes.filter(({ offsetMs }) => offsetMs > standardMs);
  const back = changes.filter(({ offsetMs }) => offsetMs === standardMs);
  const dstMs = (forward[0]?.offsetMs ?? standardMs) - standardMs;
  const isRegular =
    forward.length === YEARS && back.length === YEARS && forward.every((one) => one.offsetMs === standardMs + dstMs);
  if (!isRegular) return without;
  // In ESPI, the local time of a clock change is the time that the clock shows before the change.
  const dstStartRule = ruleOf(forward.map(({ atMs }) => new Date(atMs + standardMs)));
  const dstEndRule = ruleOf(back.map(({ atMs }) => new Date(atMs + standardMs + dstMs)));
  if (dstStartRule === null || dstEndRule === null) return without;
  return { dstStartRule, dstEndRule, dstOffset: dstMs / 1_000, tzOffset: standardMs / 1_000 };
}

/** Bit positions of the fields of a rule (ESPI, DstRuleType): hour, day of the week, day of the month, kind of rule, month. */
const [HOUR, WEEKDAY, MONTH_DAY, KIND, MONTH] = [12, 17, 20, 25, 28].map((bit) => 2 ** bit) as [
  number,
  number,
  number,
  number,
  number,
];
/**
 * Kinds of rule in ESPI. 1: on or after a day of the month; 2 to 6: on the first to fifth of a weekday in the month; 7: on the last of a
 * weekday in the month.
 */
const [ON_OR_AFTER, FIRST, LAST] = [1, 2, 7];

/** Returns the rule that all given clock changes (local times) follow; null if they follow no rule. */
function ruleOf(times: readonly Date[]): string | null {
  const locals = times.map((time) => DateTime.fromJSDate(time, { zone: 'utc' }));
  const first = locals[0] as DateTime;
  const isSame = (of: (time: DateTime) => number) => locals.every((one) => of(one) === of(first));
  const second = (time: DateTime) => time.minute * 60 + time.second;
  if (
    ![second, (one: DateTime) => one.hour, (one: DateTime) => one.weekday, (one: DateTime) => one.month].every(isSame)
  )
    return null;
  const rest = second(first) + first.hour * HOUR + first.weekday * WEEKDAY + first.month * MONTH;
  const text = (kind: number, day = 0) =>
    (rest + day * MONTH_DAY + kind * KIND).toString(16).toUpperCase().padStart(8, '0');
  const place = (time: DateTime) => Math.floor((time.day - 1) / 7);
  if (isSame(place)) return text(FIRST + place(first));
  if (locals.every((one) => one.day + 7 > (one.daysInMonth ?? 0))) return text(LAST);
  const days = locals.map(({ day }) => day);
  return Math.max(...days) - Math.min(...days) < 7 ? text(ON_OR_AFTER, Math.min(...days)) : null;
}
