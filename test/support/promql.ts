import { parser } from '@prometheus-io/lezer-promql';

/** A metric in a PromQL expression. */
interface Asked {
  metric: string;
  /** Labels in the selectors of this metric. */
  labels: string[];
}

/** Returns the metrics of a PromQL expression, and the labels in its `by`, `on` and similar clauses. Throws if the syntax is invalid. */
export function parsePromQl(expression: string): { asked: Asked[]; grouping: string[] } {
  const asked: Asked[] = [];
  const grouping: string[] = [];
  parser.parse(expression).iterate({
    enter(node) {
      const text = expression.slice(node.from, node.to);
      if (node.type.isError) throw new Error(`not PromQL at ${node.from}: ${expression}`);
      if (node.name === 'GroupingLabels')
        grouping.push(...node.node.getChildren('LabelName').map(({ from, to }) => expression.slice(from, to)));
      if (node.name !== 'VectorSelector') return;
      const name = node.node.getChild('Identifier');
      if (!name) throw new Error(`a selector without a metric: ${text}`);
      const matchers = node.node.getChild('LabelMatchers')?.getChildren('UnquotedLabelMatcher') ?? [];
      const labels = matchers.map((one) => {
        const label = one.getChild('LabelName');
        if (!label) throw new Error(`a matcher without a label: ${text}`);
        return expression.slice(label.from, label.to);
      });
      asked.push({ metric: expression.slice(name.from, name.to), labels });
    },
  });
  return { asked, grouping };
}

/**
 * Returns the labels of each metric in a scrape (a response of the metrics endpoint). Names of histograms include the suffixes of their
 * series.
 */
export function parseScrape(text: string): Map<string, Set<string>> {
  const known = new Map<string, Set<string>>();
  for (const line of text.split('\n')) {
    const [, name, type] = /^# TYPE (\S+) (\S+)/.exec(line) ?? [];
    if (name) for (const one of type === 'histogram' ? endings(name) : [name]) known.set(one, new Set());
    const [, series, labels = ''] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? \S+$/.exec(line) ?? [];
    if (!series) continue;
    const those = known.get(series) ?? new Set();
    for (const [, label] of labels.matchAll(/(\w+)="(?:[^"\\]|\\.)*"/g)) if (label) those.add(label);
    known.set(series, those);
  }
  return known;
}

const endings = (name: string): string[] => ['_bucket', '_sum', '_count'].map((ending) => name + ending);

/** Metrics and labels that Prometheus itself adds to a scrape. */
const ITS_OWN = { metrics: new Set(['up']), labels: new Set(['job', 'instance']) };

/** Returns a message for each metric or label of the expression that the scrape does not contain. */
export function findUnknownMetrics(expression: string, known: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const { asked, grouping } = parsePromQl(expression);
  const ours = asked.filter(({ metric }) => !ITS_OWN.metrics.has(metric));
  const isLabel = (label: string, metric: string) => ITS_OWN.labels.has(label) || known.get(metric)?.has(label);
  const unknown = ours.flatMap(({ metric, labels }) => {
    if (!known.has(metric)) return [`${metric} is no metric`];
    return labels.filter((label) => !isLabel(label, metric)).map((label) => `${metric} has no label ${label}`);
  });
  const nobodys = grouping.filter(
    (label) => ours.length > 0 && !ours.some(({ metric }) => !known.has(metric) || isLabel(label, metric)),
  );
  return [...unknown, ...nobodys.map((label) => `no metric of it has the label ${label}`)];
}
