/** What was seen of a run, from outside. Readings are named `device time value`, hours `account start`. Pure data. */
export interface Evidence {
  /** Readings that homes published. */
  published: ReadonlySet<string>;
  /** Of these, those that were acknowledged. */
  acknowledged: readonly string[];
  /** Readings that the database has. */
  stored: ReadonlySet<string>;
  /** Messages that the service refused. */
  rejected: number;
  /** mWh of each hour by the reference, and as the service says. An hour that is not there is 0. */
  expectedHours: ReadonlyMap<string, number>;
  keptHours: ReadonlyMap<string, number>;
  /** Hours of which somebody is to be told. */
  alerts: ReadonlySet<string>;
  /** Calls that the receiver answered, in their order. */
  calls: readonly { event: string; hour: string; atMs: number }[];
  /** While deliveries may have been cut off between a call and the note of it: such a call comes again. */
  cutOff: readonly { fromMs: number; toMs: number }[];
}

export const FAULTS = {
  lost: 'acknowledged and not stored',
  strange: 'stored and never published so, or refused',
  wrongHour: 'an hour of a home that is not the reference’s',
  untold: 'an alert of which nobody was told',
  toldWrongly: 'an event beyond one for an hour above the threshold',
  toldAgain: 'an event that came again, though nothing had cut off its first delivery',
} as const;

/** Something that is not as it must be. */
export interface Difference {
  kind: keyof typeof FAULTS;
  /** What it is about, for a person who looks for it. */
  of: string;
}

/** Everything that is not as what was acknowledged demands. Pure. */
export function compare(evidence: Evidence): Difference[] {
  const { published, acknowledged, stored, rejected, expectedHours, keptHours, alerts, calls } = evidence;
  const differences: Difference[] = [];
  const note = (kind: Difference['kind'], of: string) => differences.push({ kind, of });
  for (const line of acknowledged) if (!stored.has(line)) note('lost', line);
  for (const line of stored) if (!published.has(line)) note('strange', line);
  if (rejected > 0) note('strange', `${rejected} refused messages`);
  for (const hour of new Set([...expectedHours.keys(), ...keptHours.keys()])) {
    const [expected, kept] = [expectedHours.get(hour) ?? 0, keptHours.get(hour) ?? 0];
    if (expected !== kept) note('wrongHour', `${hour}: ${kept} mWh, not ${expected}`);
  }
  const told = new Map<string, string>();
  const lastAtMs = new Map<string, number>();
  for (const { event, hour, atMs } of calls) {
    const beforeMs = lastAtMs.get(event);
    lastAtMs.set(event, atMs);
    if (beforeMs !== undefined) {
      const isDue = evidence.cutOff.some(({ fromMs, toMs }) => beforeMs >= fromMs && beforeMs <= toMs);
      if (!isDue) note('toldAgain', `${hour}: ${event}, ${atMs - beforeMs} ms after the call before`);
      continue;
    }
    if (!alerts.has(hour)) note('toldWrongly', `${hour}: ${event}, without a reason`);
    else if (told.has(hour)) note('toldWrongly', `${hour}: ${event}, after ${told.get(hour)}`);
    else told.set(hour, event);
  }
  for (const hour of alerts) if (!told.has(hour)) note('untold', hour);
  return differences;
}
