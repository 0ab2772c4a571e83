import { AppError } from '#src/core/errors.ts';

/** Wraps heavy work so that a process runs it once at a time. Calls during a run get 503. */
export function runOneAtATime<Given extends unknown[], Result>(
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
