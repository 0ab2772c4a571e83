import { IANAZone } from 'luxon';
import { DAY_MS, MINUTE_MS } from '#src/core/units.ts';

/** Numbers from this value on are Unix times in milliseconds. Smaller numbers are Unix times in seconds. */
const FIRST_MILLISECONDS = 100_000_000_000;
const ISO = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?\s?(Z|[+-]\d\d(?::?\d\d)?)?$/i;

/** A time in a response. `ms`: Unix ms. A local time without an offset is stored as if it were UTC. */
type AnswerTime = { ms: number; isLocal: boolean };

/**
 * Parses a time: ISO 8601 with or without an offset, or Unix seconds or milliseconds. Null if the text is not a time, or has a fraction of
 * a second.
 */
export function parseResponseTime(text: string): AnswerTime | null {
  if (/^\d{9,14}$/.test(text)) {
    const number = Number(text);
    return { ms: number < FIRST_MILLISECONDS ? number * 1_000 : number, isLocal: false };
  }
  const [, year, month, day, hour, minute, second = '0', fraction = '', offset] = ISO.exec(text) ?? [];
  if (year === undefined || /[1-9]/.test(fraction)) return null;
  const [y, m, d, h, min, s] = [year, month, day, hour, minute, second].map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const ms = Date.UTC(y, m - 1, d, h, min, s);
  const made = new Date(ms);
  if (h > 23 || min > 59 || s > 59 || made.getUTCMonth() !== m - 1 || made.getUTCDate() !== d) return null;
  return offset === undefined ? { ms, isLocal: true } : { ms: ms - offsetMs(offset), isLocal: false };
}

function offsetMs(offset: string): number {
  if (/^z$/i.test(offset)) return 0;
  const [hours, minutes] = [Number(offset.slice(1, 3)), Number(offset.slice(3).replace(':', '') || '0')];
  return (hours * 60 + minutes) * MINUTE_MS * (offset.startsWith('-') ? -1 : 1);
}

/** Result for each time in a response: the instant in Unix ms, or the reason why it is unknown. */
type ResolvedTime = { ms: number } | { problem: string };

/**
 * Returns the instants of a response's times. Local times are in `zone`. If a local time occurs twice (the clocks are set back), its first
 * occurrence in the response is the earlier instant. In a response that begins with the newest time, it is the later instant.
 */
export function resolveResponseTimes(times: readonly (AnswerTime | null)[], zone: string): ResolvedTime[] {
  const known = times.filter((time) => time !== null);
  const isBackwards = (known.at(0)?.ms ?? 0) > (known.at(-1)?.ms ?? 0);
  const inOrder = isBackwards ? times.toReversed() : times;
  const clock = IANAZone.create(zone);
  const offsetAt = (ms: number) => Math.round(clock.offset(ms) * MINUTE_MS);
  const seen = new Set<number>();
  const resolved = inOrder.map((time): ResolvedTime => {
    if (time === null) return { problem: 'starts_at is not a time' };
    const instants = time.isLocal ? instantsOf(time.ms, offsetAt) : [time.ms];
    if (instants.length === 0)
      return { problem: 'starts_at is a local time that does not exist, because the clocks change' };
    const ms = instants.find((one) => !seen.has(one));
    if (ms === undefined) return { problem: 'starts_at occurs twice' };
    seen.add(ms);
    return { ms };
  });
  return isBackwards ? resolved.toReversed() : resolved;
}

/** Returns the instants at which the clocks of a zone show a local time, earliest first: none, one or two. */
function instantsOf(localMs: number, offsetAt: (ms: number) => number): number[] {
  const offsets = new Set([offsetAt(localMs - DAY_MS), offsetAt(localMs + DAY_MS)]);
  return [...offsets]
    .map((offset) => localMs - offset)
    .filter((ms) => ms + offsetAt(ms) === localMs)
    .sort((a, b) => a - b);
}
