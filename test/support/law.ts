import type { DecodedReading } from '#ingest/decoders/decoder.ts';
import type { EnergyInterval, Law, Point } from '#ingest/normalise/law.ts';
import { pointKey, replay } from '#ingest/normalise/replay.ts';
import type { History } from '#test/reference/histories.ts';

/** Readings as their device's, which the reference takes. */
export const ofDevice = (readings: History['readings'], deviceId = 'dev_1'): DecodedReading[] =>
  readings.map((reading) => ({ ...reading, deviceId, element: 0 }));

/** What a law finds in ordered readings, all at once. */
export const intervalsOf = <State>(law: Law<State>, points: readonly Point[]): EnergyInterval[] =>
  replay(law, law.initial, points).intervals;

/**
 * Wherever a law says where it stands from `length` consecutive readings alone, as they are judged once all are known: its
 * state there in a replay of the whole, and the one that it would restart with. `knowing`: from the state after all, too.
 */
export function restarts<State>(
  law: Law<State>,
  points: readonly Point[],
  length: number,
  knowing = false,
): { state: unknown; restarted: State }[] {
  const nowhere = { interval() {}, verdict() {}, takeBack() {} };
  const { verdicts, state } = replay(law, law.initial, points);
  const later = knowing ? (state as State) : undefined;
  const states: State[] = [];
  for (const point of points) states.push(law.step(states.at(-1) ?? law.initial, point, nowhere));
  const judged = points.map((point) => ({ ...point, verdict: verdicts.get(pointKey(point))?.verdict ?? null }));
  return judged.flatMap((_, first) => {
    const restart = law.restart(judged.slice(first, first + length), later);
    return restart ? [{ state: states[first + restart.taken - 1], restarted: restart.state }] : [];
  });
}
