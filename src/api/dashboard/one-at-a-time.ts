import { AppError } from '#src/core/errors.ts';

/** What is long and heavy runs once at a time in a process: 503 to whoever asks while it is under way. */
export function oneAtATime<Given extends unknown[], Result>(
  run: (...given: Given) => Promise<Result>,
): (...given: Given) => Promise<Result> {
  let isUnderWay = false;
  return async (...given) => {
    if (isUnderWay) throw new AppError('unavailable');
    isUnderWay = true;
    try {
      return await run(...given);
    } finally {
      isUnderWay = false;
    }
  };
}
