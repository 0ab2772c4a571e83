import type { DecodedReading } from '#ingest/decoders/decoder.ts';
import type { CountingRule, EnergyInterval, SeriesReading } from '#ingest/normalise/counting-rule.ts';
import { getReadingKey, replayReadings } from '#ingest/normalise/replay.ts';
import type { ReadingHistory } from '#test/reference/histories.ts';

/** Converts readings of one device to the input of the reference implementation. */
export const convertToReferenceReadings = (
  readings: ReadingHistory['readings'],
  deviceId = 'dev_1',
): DecodedReading[] => readings.map((reading) => ({ ...reading, deviceId, element: 0 }));

/** Runs a counting rule (which derives energy from readings) over readings in order. Returns the intervals with energy. */
export const computeEnergyIntervals = <State>(
  rule: CountingRule<State>,
  points: readonly SeriesReading[],
): EnergyInterval[] => replayReadings(rule, rule.initial, points).intervals;

/**
 * Restarts a counting rule at each position of a series, with only `length` consecutive readings and their verdicts. Returns pairs of
 * states that must be equal: the state of a full replay, and the state after the restart, both after the same reading. `knowing`: whether
 * the restart also receives the final state of the full replay.
 */
export function listStatePairsAfterRestart<State>(
  rule: CountingRule<State>,
  points: readonly SeriesReading[],
  length: number,
  knowing = false,
): { state: unknown; restarted: State }[] {
  const nowhere = { interval() {}, verdict() {}, takeBack() {} };
  const { verdicts, state } = replayReadings(rule, rule.initial, points);
  const later = knowing ? (state as State) : undefined;
  const states: State[] = [];
  for (const point of points) states.push(rule.step(states.at(-1) ?? rule.initial, point, nowhere));
  const judged = points.map((point) => ({ ...point, verdict: verdicts.get(getReadingKey(point))?.verdict ?? null }));
  return judged.flatMap((_, first) => {
    const restart = rule.restart(judged.slice(first, first + length), later);
    return restart ? [{ state: states[first + restart.taken - 1], restarted: restart.state }] : [];
  });
}
