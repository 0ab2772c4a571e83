import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** Media type of Prometheus' text format. */
export const METRICS_MEDIA_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** Metrics of one process. Each metric has the process's role as a label. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #registers = [this.#registry];
  readonly #readings: (() => Promise<void>)[] = [];

  constructor(role: string) {
    this.#registry.setDefaultLabels({ role });
    collectDefaultMetrics({ register: this.#registry });
  }

  /** Registers a counter whose value is read when metrics are collected. */
  countOf(name: string, help: string, read: () => number): void {
    new Counter({
      name,
      help,
      registers: this.#registers,
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  }

  /** Registers gauges whose values are read when metrics are collected. A gauge that cannot be read is omitted. */
  valuesOf(help: Record<string, string>, read: () => Promise<Record<string, number>>): void {
    const gauges = Object.entries(help).map(
      ([name, text]) => [name, new Gauge({ name, help: text, registers: this.#registers })] as const,
    );
    this.#readings.push(async () => {
      const values: Record<string, number> = await read().catch(() => ({}));
      for (const [name, gauge] of gauges) {
        const value = values[name];
        // A gauge without a value is removed, because reset() would export it as 0 if it has no labels.
        if (value === undefined) gauge.remove();
        else gauge.set(value);
      }
    });
  }

  /** Registers a counter. `known`: labels that are exported as 0 from the start. */
  counter<Label extends string>(
    name: string,
    help: string,
    labels: readonly Label[],
    known: readonly Record<Label, string>[] = [],
  ): (labels: Record<Label, string>) => void {
    const counter = new Counter({ name, help, labelNames: [...labels], registers: this.#registers });
    for (const values of known) counter.inc(values, 0);
    return (values) => counter.inc(values);
  }

  /** Registers a histogram of durations in seconds. */
  duration<Label extends string>(
    name: string,
    help: string,
    labels: readonly Label[],
  ): (labels: Record<Label, string>, seconds: number) => void {
    const histogram = new Histogram({
      name,
      help,
      labelNames: [...labels],
      buckets: SECONDS,
      registers: this.#registers,
    });
    return (values, seconds) => histogram.observe(values, seconds);
  }

  async asJson(): Promise<object[]> {
    // Reads all values at once, because the registry would await each metric separately.
    await Promise.all(this.#readings.map((read) => read()));
    return this.#registry.getMetricsAsJSON();
  }
}

/** Merges the metrics of several processes. Values with the same name and labels are added up. */
export async function mergeMetrics(processes: readonly object[][]): Promise<string> {
  return AggregatorRegistry.aggregate([...processes]).metrics();
}
