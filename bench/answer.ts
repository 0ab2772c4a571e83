/** Result of a benchmark: lines of text for people, an object for programs, and the figures that have goals. */
export interface BenchmarkResult {
  lines: string[];
  json: Record<string, unknown>;
  /** The figures of the benchmark, each with its goal. */
  goals: BenchmarkGoal[];
}

/** A figure of a benchmark and its goal: a minimum, or a maximum. */
export interface BenchmarkGoal {
  /** Name of the measured quantity, worded as the beginning of a sentence. */
  what: string;
  measured: number;
  /** Unit of the figure, printed after the figure and its goal, such as ` ms`. */
  unit?: string;
  goal: { atLeast: number } | { atMost: number } | null;
}

/** Whether a figure meets its goal; null without a goal. */
export function isGoalMet({ measured, goal }: BenchmarkGoal): boolean | null {
  if (goal === null) return null;
  return 'atLeast' in goal ? measured >= goal.atLeast : measured <= goal.atMost;
}

/** Formats a figure and its goal as one sentence. */
export function formatGoal(one: BenchmarkGoal): string {
  const { what, measured, unit = '', goal } = one;
  if (goal === null) return `${what}: ${measured}${unit}.`;
  const wanted = 'atLeast' in goal ? `at least ${goal.atLeast}` : `at most ${goal.atMost}`;
  return `${what}: ${measured}${unit}; the goal of ${wanted}${unit} is ${isGoalMet(one) ? 'met' : 'missed'}.`;
}
