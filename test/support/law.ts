import type { DecodedReading } from '#ingest/decoders/decoder.ts';
import type { EnergyInterval, Law, Point } from '#ingest/normalise/law.ts';
import { pointKey, replayLaw } from '#ingest/normalise/replay.ts';
import type { History } from '#test/reference/histories.ts';

/** Converts readings of one device to the input of the reference. */
export const readingsOfDevice = (readings: History['readings'], deviceId = 'dev_1'): DecodedReading[] =>
  readings.map((reading) => ({ ...reading, deviceId, element: 0 }));

/** Runs a law over ordered readings and returns the intervals. */
export const computeIntervals = <State>(law: Law<State>, points: readonly Point[]): EnergyInterval[] =>
  replayLaw(law, law.initial, points).intervals;

/**
 * For each position at which a law can restart with `length` consecutive judged readings, returns the state of a full
 * replay and the state of the restart. `knowing`: the restart also receives the state after all readings.
 */
export function compareRestarts<State>(
  law: Law<State>,
  points: readonly Point[],
  length: number,
  knowing = false,
): { state: unknown; restarted: State }[] {
  const nowhere = { interval() {}, verdict() {}, takeBack() {} };
  const { verdicts, state } = replayLaw(law, law.initial, points);
  const later = knowing ? (state as State) : undefined;
  const states: State[] = [];
  for (const point of points) states.push(law.step(states.at(-1) ?? law.initial, point, nowhere));
  const judged = points.map((point) => ({ ...point, verdict: verdicts.get(pointKey(point))?.verdict ?? null }));
  return judged.flatMap((_, first) => {
    const restart = law.restart(judged.slice(first, first + length), later);
    return restart ? [{ state: states[first + restart.taken - 1], restarted: restart.state }] : [];
  });
}
