import type { BackwardClockStep, CountingRule, CountingSettingsByTime } from '#ingest/normalise/counting-rule.ts';
import { createCountingRuleByTime } from '#ingest/normalise/counting-rule-by-time.ts';
import type { CountingRuleChange } from '#ingest/normalise/replay.ts';
import { getContributionEndMs, type SeriesRoles, type SeriesRolesByTime } from '#ingest/normalise/roles-by-time.ts';
import { selectCountingRule } from '#ingest/normalise/select-counting-rule.ts';
import type { NewReading } from './collect.ts';
import { type DeviceState, getCountingSettingsOfSeries, getReadingRefusalEndMs } from './device-state.ts';
import { computeFirstReadingStretchBounds, planLateReadings } from './plan-late.ts';
import {
  findRangeOfSeriesRoleChange,
  findRangeOfSettingsChange,
  joinReadingRanges,
  planRecomputation,
} from './plan-recomputation.ts';
import { needsTimeDependentCountingRule, planReadingsInOrder, type SeriesWritePlan } from './series-plan.ts';
import type { ReadingStretch, ReadingStretchBounds } from './stretch.ts';

/** Range of the whole history, which is recomputed if an earlier version of the service has distributed the energy of a tariff register. */
const WHOLE = { firstMs: Number.NEGATIVE_INFINITY, lastMs: Number.POSITIVE_INFINITY };

interface DevicePlanContext {
  readonly device: DeviceState;
  readonly pieceUntilMs: number;
  /** Settings with which the consumption is computed, before and after the batch. */
  readonly computed: { readonly before: CountingSettingsByTime; readonly after: CountingSettingsByTime };
}

/** Determines the changes of one series. If stored readings are missing, returns the ranges to load first. */
export function planSeriesWrites(
  { device, pieceUntilMs, computed }: DevicePlanContext,
  plan: SeriesWritePlan,
  points: readonly NewReading[],
  stretches: readonly ReadingStretch[],
): ReadingStretchBounds[] {
  const { series } = plan;
  const { lastReadAtMs } = series;
  const open = withoutClosed(plan, points);
  const { before, after: rule, ...more } = rulesOf(plan, computed);
  const judged = findRangeOfSettingsChange(device, series, pieceUntilMs);
  const piece = plan.isOfEarlierEdition
    ? WHOLE
    : joinReadingRanges(
        joinReadingRanges(plan.edits.changed, judged),
        findRangeOfSeriesRoleChange(series, plan, pieceUntilMs),
      );
  if (piece && lastReadAtMs !== null)
    return planRecomputation(plan, piece, before && rule && { before, after: rule, ...more }, stretches);
  const found = lastReadAtMs === null ? 0 : open.findIndex(({ readAtMs }) => readAtMs > lastReadAtMs);
  if (found === 0 && stretches.length === 0)
    return planReadingsInOrder(plan, rule, open) ? [] : [computeFirstReadingStretchBounds(open)];
  const [late, following] = found === -1 ? [open, []] : [open.slice(0, found), open.slice(found)];
  if (isCovered(following, stretches)) return planLateReadings(plan, rule, open, stretches);
  const wanted = late.length > 0 ? planLateReadings(plan, rule, late, stretches) : [];
  if (wanted.length > 0 || planReadingsInOrder(plan, rule, following)) return wanted;
  return [computeFirstReadingStretchBounds(following)];
}

/** Returns the counting rules before and after the batch. Null if the series contributes to no total. */
function rulesOf(
  plan: SeriesWritePlan,
  computed: DevicePlanContext['computed'],
): { [name in 'before' | 'after']: CountingRule<unknown> | null } & Pick<CountingRuleChange, 'longer' | 'stepAtMs'> {
  const { series } = plan;
  const { channel, kind } = series;
  const { stepsBack } = plan.edits;
  const of = (by: SeriesRolesByTime, settings: CountingSettingsByTime, steps: readonly BackwardClockStep[]) => {
    const ruleOf = (roles: SeriesRoles) =>
      selectCountingRule(channel, kind, roles, getCountingSettingsOfSeries(settings, series, steps));
    return needsTimeDependentCountingRule(series, plan) ? createCountingRuleByTime(by, ruleOf) : ruleOf(by.roles);
  };
  const [before, after] = [of(series, computed.before, stepsBack.before), of(plan, computed.after, stepsBack.after)];
  const longer = getContributionEndMs(series) > getContributionEndMs(plan) ? before : null;
  const stepAtMs = stepsBack.changed?.lastMs;
  return { before, after, ...(longer && { longer }), ...(stepAtMs !== undefined && { stepAtMs }) };
}

/**
 * `following`: new readings that are later than all stored ones. Returns whether an earlier call has requested the stored readings around
 * `following`, which are needed if one of the new readings changes earlier energy.
 */
function isCovered(following: readonly NewReading[], stretches: readonly ReadingStretch[]): boolean {
  const [first] = following;
  return first !== undefined && stretches.some(({ lastMs }) => lastMs >= first.readAtMs);
}

/**
 * Rejects two kinds of readings, and returns the others: readings from a time whose stored readings are already deleted, and readings from
 * before a change of `decoder_config`, which measure another quantity than the stored ones.
 */
function withoutClosed({ series, rejects }: SeriesWritePlan, points: readonly NewReading[]): readonly NewReading[] {
  const untilMs = getReadingRefusalEndMs(series);
  if (untilMs === Number.NEGATIVE_INFINITY) return points;
  return points.filter(({ readAtMs, message, element }) => {
    if (readAtMs > untilMs) return true;
    const reason =
      readAtMs <= (series.closedUntilMs ?? Number.NEGATIVE_INFINITY)
        ? 'time is older than the stored readings of this series'
        : 'time is before the decoder_config was changed, and the new settings read another number';
    rejects.push({ message, element, reason });
    return false;
  });
}
