/** Number of series that contribute to a device's import and export in the time `[fromMs, toMs)`, Unix ms. */
export interface ContributionSpan {
  fromMs: number;
  toMs: number;
  imports: number;
  exports: number;
}

/** Number of contributing series of one part of a device. `part`: some of the device's channels; null: the device itself. */
export interface ContributingSeries<Part extends string = string> extends ContributionSpan {
  part: Part | null;
}

/**
 * Returns, for each part of a device, the number of contributing series in consecutive time spans without gaps. If no series contributes
 * any more, for example because the owner must classify a new register, those that contributed last still count. The missing energy thereby
 * lowers the coverage.
 */
export function computeContributionSpans<Part extends string>(
  series: readonly ContributingSeries<Part>[],
): Map<Part | null, ContributionSpan[]> {
  const lastOf = (of: 'imports' | 'exports') => Math.max(...series.flatMap((one) => (one[of] > 0 ? one.toMs : [])));
  const [lastImport, lastExport] = [lastOf('imports'), lastOf('exports')];
  const apart = series.flatMap((one) => [
    { ...one, exports: 0, toMs: one.toMs === lastImport ? Number.POSITIVE_INFINITY : one.toMs },
    { ...one, imports: 0, toMs: one.toMs === lastExport ? Number.POSITIVE_INFINITY : one.toMs },
  ]);
  const counted = apart.filter(({ imports, exports }) => imports + exports > 0);
  return new Map(
    [...Map.groupBy(counted, ({ part }) => part)].map(([part, all]) => [part, mergeContributionSpans(all)]),
  );
}

/** Adds up the numbers of series in overlapping spans. */
export function mergeContributionSpans(spans: readonly ContributionSpan[]): ContributionSpan[] {
  const bounds = [...new Set(spans.flatMap(({ fromMs, toMs }) => [fromMs, toMs]))].toSorted((a, b) => a - b);
  return bounds.slice(1).map((toMs, index) => {
    const fromMs = bounds[index] as number;
    const there = spans.filter((span) => span.fromMs <= fromMs && span.toMs >= toMs);
    const sum = (of: 'imports' | 'exports') => there.reduce((all, span) => all + span[of], 0);
    return { fromMs, toMs, imports: sum('imports'), exports: sum('exports') };
  });
}

/** Returns the time in ms within `[fromMs, toMs)` for which data are expected, summed over the contributing series. */
export function sumExpectedCoverageMs(
  spans: readonly ContributionSpan[],
  fromMs: number,
  toMs: number,
): { imports: number; exports: number } {
  const sum = { imports: 0, exports: 0 };
  for (const span of spans) {
    const ms = Math.min(toMs, span.toMs) - Math.max(fromMs, span.fromMs);
    if (ms <= 0) continue;
    sum.imports += ms * span.imports;
    sum.exports += ms * span.exports;
  }
  return sum;
}
