/** Observations of a run, made from outside the service. A reading is written as `device time value`, an hour as `account start`. */
export interface ChaosRunRecords {
  /** Readings that homes published. */
  published: ReadonlySet<string>;
  /** Readings that were acknowledged; each of them is also in `published`. */
  acknowledged: readonly string[];
  /** Readings in the databases. A reading that is stored twice is listed twice. */
  stored: readonly string[];
  /** Number of messages that the service rejected. */
  rejected: number;
  /**
   * Energy of each hour in mWh: as computed by the reference implementation, and as reported by the service. The energy of a missing hour
   * is 0.
   */
  expectedHours: ReadonlyMap<string, number>;
  reportedHours: ReadonlyMap<string, number>;
  /** The hours that must trigger an alert, because their usage exceeds the threshold. */
  alerts: ReadonlySet<string>;
  /** Webhook calls that the receiver answered, in order. */
  calls: readonly { event: string; hour: string; atMs: number }[];
  /** Periods in which a fault may have interrupted a delivery after the webhook call. The service repeats such a call. */
  cutOff: readonly { fromMs: number; toMs: number }[];
  /** Delivery attempts that the service recorded, by event. The service repeats a call whose attempt failed. */
  attempts: ReadonlyMap<string, readonly DeliveryAttemptRecord[]>;
}

/** An attempt to deliver an event, as the service recorded it. `error`: null if the attempt succeeded. */
export interface DeliveryAttemptRecord {
  delivery: string;
  fromMs: number;
  toMs: number;
  error: string | null;
}

export const DIFFERENCE_KINDS = {
  lost: 'acknowledged and not stored',
  doubled: 'stored more than once',
  strange: 'stored and never published so, or refused',
  wrongHour: 'an hour of a home that is not the reference’s',
  untold: 'an alert of which nobody was told',
  toldWrongly: 'an event beyond one for an hour above the threshold',
  toldAgain: 'an event that came again, though nothing had cut off its delivery and no attempt had failed',
} as const;

/** A difference between the observations of a run and the expected state. */
export interface ChaosRunDifference {
  kind: keyof typeof DIFFERENCE_KINDS;
  /** The reading, hour or event to which the difference refers, for the person who investigates it. */
  of: string;
}

/** Whether a webhook call may be repeated, because its outcome may not have been recorded or was recorded as a failure. */
const mayBeRepeated = (
  atMs: number,
  attempts: readonly DeliveryAttemptRecord[],
  cutOff: ChaosRunRecords['cutOff'],
): boolean =>
  [...cutOff, ...attempts.filter(({ error }) => error !== null)].some(
    ({ fromMs, toMs }) => atMs >= fromMs && atMs <= toMs,
  );

/** Returns one line for each failed attempt after which an event was sent again. Such attempts show that the service was slow. */
export const listDeliveryRetries = ({ attempts, calls }: Pick<ChaosRunRecords, 'attempts' | 'calls'>): string[] => {
  const repeated = new Set(calls.map(({ event }) => event).filter((event, index, all) => all.indexOf(event) < index));
  return [...repeated].flatMap((event) =>
    (attempts.get(event) ?? []).flatMap((one) => (one.error === null ? [] : [`${event}: ${formatAttempt(one)}`])),
  );
};

const formatAttempt = ({ delivery, fromMs, toMs, error }: DeliveryAttemptRecord): string =>
  `${delivery} ${new Date(fromMs).toISOString()} ${toMs - fromMs} ms ${error ?? 'succeeded'}`;

/** Returns every deviation from the state that the acknowledged readings require. */
export function compareChaosRunRecords(evidence: ChaosRunRecords): ChaosRunDifference[] {
  const { published, acknowledged, stored, rejected, expectedHours, reportedHours, alerts, calls, attempts } = evidence;
  const differences: ChaosRunDifference[] = [];
  const note = (kind: ChaosRunDifference['kind'], of: string) => differences.push({ kind, of });
  const once = new Set<string>();
  for (const line of stored) {
    if (once.has(line)) note('doubled', line);
    else if (!published.has(line)) note('strange', line);
    once.add(line);
  }
  for (const line of acknowledged) if (!once.has(line)) note('lost', line);
  if (rejected > 0) note('strange', `${rejected} refused messages`);
  for (const hour of new Set([...expectedHours.keys(), ...reportedHours.keys()])) {
    const [expected, reported] = [expectedHours.get(hour) ?? 0, reportedHours.get(hour) ?? 0];
    if (expected !== reported) note('wrongHour', `${hour}: ${reported} mWh, not ${expected}`);
  }
  const notified = new Map<string, string>();
  const lastAtMs = new Map<string, number>();
  for (const { event, hour, atMs } of calls) {
    const beforeMs = lastAtMs.get(event);
    lastAtMs.set(event, atMs);
    if (beforeMs !== undefined) {
      const recorded = attempts.get(event) ?? [];
      if (mayBeRepeated(beforeMs, recorded, evidence.cutOff)) continue;
      const log = recorded.length === 0 ? 'none recorded' : recorded.map(formatAttempt).join('; ');
      note(
        'toldAgain',
        `${hour}: ${event} at ${new Date(atMs).toISOString()}, ${atMs - beforeMs} ms after the previous call; attempts: ${log}`,
      );
      continue;
    }
    if (!alerts.has(hour)) note('toldWrongly', `${hour}: ${event}, without a reason`);
    else if (notified.has(hour)) note('toldWrongly', `${hour}: ${event}, after ${notified.get(hour)}`);
    else notified.set(hour, event);
  }
  for (const hour of alerts) if (!notified.has(hour)) note('untold', hour);
  return differences;
}
