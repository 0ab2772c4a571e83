import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import { dropZeroBuckets } from '#ingest/normalise/buckets.ts';
import { compareSeriesReadings, type EnergyInterval, type SeriesReading } from '#ingest/normalise/counting-rule.ts';
import { createCountingRuleByTime } from '#ingest/normalise/counting-rule-by-time.ts';
import { computeSeriesEdits } from '#ingest/normalise/edits.ts';
import { getReadingKey, replayReadings } from '#ingest/normalise/replay.ts';
import { createSeriesRolesLookup, getContributionEndMs, type SeriesRoles } from '#ingest/normalise/roles-by-time.ts';
import { selectCountingRule } from '#ingest/normalise/select-counting-rule.ts';
import { hasCountedEnergy, moveEnergyAfterTime } from '#ingest/normalise/tariffs.ts';
import { addIntervalToDeltas } from '#ingest/write/deltas.ts';
import { AGGREGATED_QUANTITIES, COMMODITIES, isElectricityQuantity } from '#src/database/meter.ts';
import { parseChannel } from '#src/devices/channel-name.ts';
import {
  computeReferenceConsumption,
  getStartOfQuarterHour,
  orderDistinctReadings,
} from '#test/reference/consumption.ts';
import type { ReferenceEdit } from '#test/reference/edits.ts';
import type { ReadingHistory } from '#test/reference/histories.ts';
import { convertToReferenceReadings } from '#test/support/counting-rules.ts';
import { readWholeLoadProfile, type StoredDevice } from '#test/support/memory-store.ts';

/** Expects two values to be equal, like `toEqual` but faster. */
export function expectDeepEqual(actual: unknown, wanted: unknown, message?: string): void {
  if (!isDeepStrictEqual(actual, wanted)) expect(actual, message).toEqual(wanted);
}

/** Expects the device's load profile to equal that of the reference implementation. */
export function expectReferenceEnergy(device: StoredDevice, all: ReadingHistory['readings']): void {
  const readings = convertToReferenceReadings(all);
  const edits = inForce(device);
  const line = (at: number | bigint, values: (number | bigint)[]) => `${at} ${values}`;
  const { settings } = device;
  const stored = [...dropZeroBuckets(readWholeLoadProfile(device))].map(([at, d]) =>
    line(at, [
      d.energyMilliwattHours,
      d.estimatedMilliwattHours,
      d.exportMilliwattHours,
      d.readingCount,
      d.coveredMs,
      d.exportCoveredMs,
    ]),
  );
  const wanted = [...computeReferenceConsumption(readings, settings, getStartOfQuarterHour, edits)].map(([at, row]) =>
    line(at, [row.energy, row.estimated, row.exported, row.readings, row.covered, row.exportCovered]),
  );
  expectDeepEqual(stored.sort(), wanted.sort());
}

const inForce = ({ edits }: StoredDevice): ReferenceEdit[] => edits.filter(({ isInForce }) => isInForce);

/** Expects each separate meter (gas, heat, water) to equal the import of an electricity meter with the same messages. */
function expectMeters(device: StoredDevice, all: ReadingHistory['readings']): void {
  const { settings, meters } = device;
  for (const meter of AGGREGATED_QUANTITIES.filter((one) => !isElectricityQuantity(one))) {
    const meterWords = meter.split('_');
    const ofMeter = convertToReferenceReadings(all).flatMap((one) => {
      const words = one.channel.split('/');
      const mine = words.filter((word) => MEDIA.has(word));
      // A register with an unknown meaning is included. As it may measure the same energy as a power series, the power series then does not
      // count.
      if (words.includes('unknown')) return [one];
      return mine.join() === meterWords.join() ? [{ ...one, channel: plainly(one.channel) }] : [];
    });
    // Edits of other channels do not apply to this separate meter.
    const edits = inForce(device).flatMap((edit) => {
      const media = (edit.channel ?? '').split('/').filter((word) => MEDIA.has(word));
      if (edit.channel === null) return [edit];
      return media.join() === meterWords.join() ? [{ ...edit, channel: plainly(edit.channel) }] : [];
    });
    // The numbers of readings are compared only if no reading is a power.
    const counts = (readings: number | bigint) => (ofMeter.some(({ kind }) => kind === 'power') ? '' : readings);
    const wanted = [...computeReferenceConsumption(ofMeter, settings, getStartOfQuarterHour, edits)]
      .filter(([, row]) => row.covered > 0n)
      .map(([at, row]) => `${at} ${[row.energy, row.estimated, counts(row.readings), row.covered]}`);
    const stored = [...dropZeroBuckets(meters.get(meter) ?? new Map())].map(
      ([at, row]) =>
        `${at} ${[row.energyMilliwattHours, row.estimatedMilliwattHours, counts(row.readingCount), row.coveredMs]}`,
    );
    expectDeepEqual(stored.sort(), wanted.sort());
  }
}

const plainly = (channel: string) =>
  channel
    .split('/')
    .filter((word) => !MEDIA.has(word))
    .join('/');

/** Words in the name of a channel that identify its medium, such as gas. */
const MEDIA: ReadonlySet<string> = new Set([...COMMODITIES, 'm3']);

/** Expects the stored energy, meters and series to equal those of the reference implementation and the counting rule. */
export function expectReferenceResults(device: StoredDevice, all: ReadingHistory['readings']): void {
  expectReferenceEnergy(device, all);
  expectMeters(device, all);
  const { series, settings } = device;
  const readings = convertToReferenceReadings(all);
  for (const { channel, kind, points, verdicts, tail, lastReadAtMs, ...of } of series.values()) {
    const sent = orderDistinctReadings(readings.filter((one) => one.channel === channel && one.kind === kind));
    const { isExcluded, added, stepsBack } = computeSeriesEdits(
      device.edits.map((edit) => ({ ...edit, counted: null })),
      channel,
      kind,
      Number.POSITIVE_INFINITY,
    );
    const whole = [...sent, ...added].sort(compareSeriesReadings);
    const pointText = (point: SeriesReading) => `${getReadingKey(point)} ${point.value}`;
    expectDeepEqual([...points.values()].sort(compareSeriesReadings).map(pointText), whole.map(pointText));
    expect(lastReadAtMs).toBe(whole.at(-1)?.readAtMs);
    const rule = createCountingRuleByTime(of, (roles) =>
      selectCountingRule(channel, kind, roles, { ...settings, stepsBack: stepsBack.after }),
    );
    const counted = whole.filter(({ readAtMs }) => readAtMs < getContributionEndMs(of));
    const run = replayReadings(rule, rule.initial, counted, isExcluded);
    expectDeepEqual(
      verdicts,
      new Map([...run.verdicts.values()].map((judged) => [getReadingKey(judged), judged.verdict])),
    );
    expectDeepEqual(JSON.parse(tail ?? 'null'), counted.length === whole.length ? run.state : null);
  }
}

/**
 * Expects the stored results to equal those of the counting rule, applied to the stored readings with the settings of each period. This
 * must hold at any time, even during a recomputation.
 */
export function expectCountingRuleResults(device: StoredDevice): void {
  const { settings, computedWith, edits, series } = device;
  const profile = { own: new Map(), meters: new Map() };
  const steps: Step[] = [];
  for (const { channel, kind, points, verdicts, tail, splits, ...of } of series.values()) {
    const roles = createSeriesRolesLookup(of);
    const endMs = getContributionEndMs(of);
    const { isExcluded, stepsBack } = computeSeriesEdits(edits, channel, kind, Number.NEGATIVE_INFINITY);
    const judgedBy = { ...(computedWith ?? settings), ...(splits && { splits }), stepsBack: stepsBack.after };
    const rule = createCountingRuleByTime(of, (one) => selectCountingRule(channel, kind, one, judgedBy));
    const earlier = [...points.values()].filter(({ readAtMs }) => readAtMs < endMs).sort(compareSeriesReadings);
    const run = replayReadings(rule, rule.initial, earlier, isExcluded);
    expectDeepEqual(new Map([...run.verdicts].map(([key, { verdict }]) => [key, verdict])), verdicts);
    const isPast = points.size > earlier.length || earlier.length === 0;
    expectDeepEqual(JSON.parse(tail ?? 'null'), isPast ? null : run.state);
    for (const step of run.intervals) {
      const stepRoles = roles(step.endMs);
      steps.push({ step, roles: stepRoles, of: channel, tariff: tariffOf(stepRoles, channel) });
    }
  }
  for (const one of steps) {
    const afterMs =
      one.tariff === null
        ? one.step.startMs
        : Math.max(one.step.startMs, ...steps.filter((other) => isWithin(one, other)).map(({ step }) => step.endMs));
    addIntervalToDeltas(
      profile,
      afterMs === one.step.startMs ? one.step : moveEnergyAfterTime(one.step, afterMs),
      one.roles,
      1,
    );
  }
  expectDeepEqual(dropZeroBuckets(new Map(readWholeLoadProfile(device))), dropZeroBuckets(profile.own));
}

interface Step {
  readonly step: EnergyInterval;
  readonly roles: SeriesRoles;
  /** Channel of its series. */
  readonly of: string;
  /**
   * Key of a set of series of which only one is active at a time: the tariff registers of one direction in one circuit (a separately
   * measured part of the home), or of one gas, heat or water meter. Null for other series.
   */
  readonly tariff: string | null;
}

const tariffOf = ({ isTariff, meter, export: isExport }: SeriesRoles, of: string): string | null =>
  isTariff ? `${parseChannel(of).circuit} ${meter !== null && !isElectricityQuantity(meter) ? meter : isExport}` : null;

/**
 * Whether the rise `other` lies within the time of the rise `one` and ends earlier. If so, the energy of `one` is placed after the end of
 * `other`.
 */
const isWithin = (one: Step, other: Step): boolean =>
  one.tariff === other.tariff &&
  one.of !== other.of &&
  hasCountedEnergy(one.step) &&
  hasCountedEnergy(other.step) &&
  other.step.startMs >= one.step.startMs &&
  other.step.endMs < one.step.endMs;
