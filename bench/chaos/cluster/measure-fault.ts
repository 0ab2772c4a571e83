import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { findLongestGap, getLongestGapSeconds } from '../../../test/support/cluster/meters.ts';
import { describePubackWait } from '../../../test/support/cluster/publisher.ts';
import type { WebhookReceiver } from '../../../test/support/receiver.ts';
import { describeTimeout, scaleTimeLimitMs } from '../../time-limits.ts';
import { type ChaosRunDifference, DIFFERENCE_KINDS } from './compare.ts';
import type { ClusterFault } from './faults.ts';
import { type PublishingHome, type PublishingHomeGroup, waitUntilHomesResume } from './homes.ts';
import { parseWebhookCall } from './verdict.ts';

/** Maximum time to wait after a fault until readings resume, in ms. */
export const MAX_RECOVERY_MS = 60_000;
/** If a webhook call was answered within this time (ms) before a fault, the service may not have recorded the answer. */
const UNRECORDED_MS = 1_000;
/** Maximum number of differences that are listed for each kind. */
const MAX_LISTED = 5;

/** Effect of a fault, in seconds. Each value is that of the home that waited longest. */
export interface FaultEffect {
  fault: string;
  /** Time without a PUBACK. */
  acknowledged: number;
  /** Longest time without a newly stored reading, in seconds. */
  stored: number;
  /** Time from the PUBACK of a reading that triggers an alert until the alert's webhook call, for alerts triggered during the fault. */
  alert: number | null;
  goal: string;
  isKept: boolean;
  /** Whether readings of all homes were acknowledged and stored again after the fault. */
  goesOn: boolean;
  cutsDeliveries: boolean;
  fromMs: number;
  toMs: number;
}

/** Installation into which faults are injected. */
export interface FaultTargetInstallation {
  homes: PublishingHomeGroup;
  receiver: WebhookReceiver;
  /** Distributes the load evenly before a fault is injected. */
  prepare(): Promise<unknown>;
  /** Resolves when the databases have recovered. */
  ready(): Promise<unknown>;
  /** Describes the installation's state, for the output if the homes do not resume after a fault. */
  diagnosis(): Promise<string>;
}

/** Injects a fault, waits until all homes have resumed, and returns the effect. */
export async function injectAndMeasureFault(
  { homes: { all: homes, spread }, receiver, ...subject }: FaultTargetInstallation,
  fault: ClusterFault,
): Promise<FaultEffect> {
  const resume = async (what: string) => {
    const isResumed = await waitUntilHomesResume(homes, scaleTimeLimitMs(MAX_RECOVERY_MS));
    if (!isResumed) printToStderr(`${describeTimeout(what, MAX_RECOVERY_MS)}\n${await subject.diagnosis()}`);
    return isResumed;
  };
  // A restarted broker is the leader of no queue and has no devices. The load is distributed again, so that every fault meets an even load.
  await subject.prepare();
  spread();
  await resume('readings do not go on before the fault');
  const harmedMs = Date.now();
  const delay = monitorEventLoopDelay();
  delay.enable();
  await fault.harm();
  const wentOn = await resume('readings do not go on after the fault');
  await pause(Math.max(0, harmedMs + fault.holdS * 1_000 - Date.now()));
  await fault.heal();
  await subject.ready();
  const isHealed = await resume('readings do not go on after the cause is gone');
  // The return of a broker also disturbs the installation, because queues and devices move to it.
  await pause(2_000);
  const [fromMs, toMs] = [harmedMs, Date.now()];
  const acknowledged = computeLongestGapSeconds(homes, listAcknowledgementTimesMs, fromMs, toMs);
  const stored = computeLongestGapSeconds(homes, (home) => home.stored.atMs, fromMs, toMs);
  const { of, seconds } = fault.goal;
  const isKept = { acknowledged, stored }[of] <= seconds;
  if (!isKept || !wentOn || !isHealed)
    printToStderr([...describeLongestPubackWaits(homes, fromMs, toMs), describeOwnDelay(delay.max / 1e6)].join('\n'));
  delay.disable();
  return {
    fault: fault.name,
    acknowledged,
    stored,
    alert: slowestAlert(receiver, homes, fromMs, toMs),
    goal: `${of} ${seconds}`,
    isKept,
    goesOn: wentOn && isHealed,
    cutsDeliveries: fault.cutsDeliveries ?? false,
    fromMs: fromMs - UNRECORDED_MS,
    toMs,
  };
}

/** Returns the times (Unix ms) at which a home received PUBACKs. */
export const listAcknowledgementTimesMs = ({ publisher }: PublishingHome): number[] => [
  ...publisher.acknowledged.values(),
];

/** Returns the longest time in seconds between two consecutive events of one home, over all homes. */
export const computeLongestGapSeconds = (
  homes: readonly PublishingHome[],
  timesOf: (home: PublishingHome) => readonly number[],
  fromMs: number,
  toMs: number,
): number => round(Math.max(...homes.map((home) => getLongestGapSeconds(timesOf(home), fromMs, toMs))));

/** Describes the homes that waited longest for a PUBACK, the longest first, with their attempts to connect. */
export function describeLongestPubackWaits(homes: readonly PublishingHome[], fromMs: number, toMs: number): string[] {
  const waits = homes.map((home) => ({ home, ...findLongestGap(listAcknowledgementTimesMs(home), fromMs, toMs) }));
  const longest = waits.toSorted((a, b) => b.toMs - b.fromMs - (a.toMs - a.fromMs)).slice(0, MAX_LISTED);
  return longest.map(
    ({ home: { deviceId, publisher }, ...gap }) =>
      `  ${deviceId}: ${describePubackWait(publisher, gap.fromMs, gap.toMs)}`,
  );
}

/** Describes the longest time for which the operating system did not run this process. The service does not cause such a delay. */
const describeOwnDelay = (maxMs: number): string =>
  `  this process itself was delayed for up to ${round(maxMs / 1_000)} s`;

/** Returns the maximum time in seconds from PUBACK to webhook, for delivered alerts of the given period; null if there is none. */
function slowestAlert(
  receiver: WebhookReceiver,
  homes: readonly PublishingHome[],
  fromMs: number,
  toMs: number,
): number | null {
  const calledAtMs = new Map<string, number>();
  for (const call of receiver.calls.filter(({ atMs }) => atMs >= fromMs)) {
    const { hour } = parseWebhookCall(call);
    if (!calledAtMs.has(hour)) calledAtMs.set(hour, call.atMs);
  }
  const waits = homes.flatMap(({ userId, crossings, publisher }) =>
    [...crossings].flatMap(([hourMs, index]) => {
      const triggeredMs = publisher.acknowledged.get(index) ?? 0;
      const atMs = calledAtMs.get(`${userId} ${new Date(hourMs).toISOString()}`);
      return triggeredMs < fromMs || triggeredMs > toMs || atMs === undefined ? [] : [atMs - triggeredMs];
    }),
  );
  return waits.length === 0 ? null : round(Math.max(...waits) / 1_000);
}

/** Describes homes whose latest readings are not stored. */
export function describeHomesWithMissingReadings(homes: readonly PublishingHome[]): string[] {
  const late = homes.filter(({ readings, stored }) => (readings.at(-20)?.readAtMs ?? 0) > stored.upToMs);
  return late.map(({ deviceId, readings, publisher, stored }) => {
    const written = readings.filter(({ readAtMs }) => readAtMs <= stored.upToMs).length;
    return `  ${deviceId}: ${readings.length} published, ${publisher.acknowledged.size} acknowledged, ${written} stored`;
  });
}

/** Returns the faults that the words select. A word selects the faults whose names contain it. */
export function selectFaultsByName(faults: ClusterFault[], words: readonly string[]): ClusterFault[] {
  if (words.length === 0) return faults;
  const isWhole = (word: string) => faults.some(({ name }) => name === word);
  return faults.filter(({ name }) => words.some((word) => (isWhole(word) ? name === word : name.includes(word))));
}

/** Formats the effect of a fault as one line. */
export const formatFaultEffect = ({ acknowledged, stored, alert, goal, isKept, goesOn: isOn }: FaultEffect): string =>
  `without PUBACK ${acknowledged} s, without a reading stored ${stored} s, slowest alert ${alert ?? '–'} s; ` +
  `goal ${goal} s ${isKept ? 'kept' : 'MISSED'}${isOn ? '' : '; DID NOT GO ON'}`;

/** Prints differences: the first few of each kind. */
export function printRunDifferences(differences: readonly ChaosRunDifference[]): void {
  for (const [kind, few] of Object.entries(Object.groupBy(differences, (one) => one.kind))) {
    const name = DIFFERENCE_KINDS[kind as keyof typeof DIFFERENCE_KINDS];
    for (const { of } of few.slice(0, MAX_LISTED)) printToStderr(`WRONG: ${name}: ${of}`);
    if (few.length > MAX_LISTED) printToStderr(`WRONG: ${name}: ${few.length - MAX_LISTED} more`);
  }
}

/** Prints the first few of the delivery attempts that failed and were repeated. */
export function printDeliveryRetries(retries: readonly string[]): void {
  for (const line of retries.slice(0, MAX_LISTED)) printToStderr(`sent again after a failed attempt: ${line}`);
  if (retries.length > MAX_LISTED)
    printToStderr(`sent again after a failed attempt: ${retries.length - MAX_LISTED} more`);
}

const round = (seconds: number) => Math.round(seconds * 10) / 10;

/** Prints a line about the progress to standard error. */
export const printToStderr = (text: string): void => void process.stderr.write(`${text}\n`);
