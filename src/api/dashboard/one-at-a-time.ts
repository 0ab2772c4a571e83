import { AppError } from '#src/core/errors.ts';

/** Runs heavy work once at a time in a process. Calls that come while it runs get 503. */
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
