import type { DecodedReading } from '#ingest/decoders/decoder.ts';
import type { EnergyInterval, Law, Point } from '#ingest/normalise/law.ts';
import { replay } from '#ingest/normalise/replay.ts';
import type { History } from '#test/reference/histories.ts';

/** Readings as their device's, which the reference takes. */
export const ofDevice = (readings: History['readings'], deviceId = 'dev_1'): DecodedReading[] =>
  readings.map((reading) => ({ ...reading, deviceId, element: 0 }));

/** What a law finds in ordered readings, all at once. */
export const intervalsOf = <State>(law: Law<State>, points: readonly Point[]): EnergyInterval[] =>
  replay(law as Law<unknown>, law.initial, points).intervals;

/** The points after which a law says that it depends on them alone, with its state there and the one it would restart with. */
export function cleanStates<State>(law: Law<State>, points: readonly Point[]): { state: State; restarted: State }[] {
  const found: { state: State; restarted: State }[] = [];
  let state = law.initial;
  const nowhere = { interval() {}, verdict() {} };
  for (const point of points) {
    const step = law.step(state, point, nowhere);
    state = step.state;
    if (step.clean) found.push({ state, restarted: law.restart(point) });
  }
  return found;
}
