/** Source of the current time, which tests replace. */
export type Clock = () => Date;

export const systemClock: Clock = () => new Date();
