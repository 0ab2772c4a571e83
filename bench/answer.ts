/** Result of a benchmark: a line or two for people, an object for programs. */
export interface BenchmarkResult {
  lines: string[];
  json: Record<string, unknown>;
}
