import { assignChannels, type MetricMeaningWithName, type MetricQuantity } from './channels.ts';
import { findMetricMeaning } from './meaning.ts';
import type { SparkplugMetric, SparkplugPayload } from './payload.ts';

/** A metric that the birth message of its node or device has announced. */
export interface BirthMetric {
  name: string;
  datatype: number;
  /** Channel and unit of the metric; null if the metric is ignored. */
  quantity: MetricQuantity | null;
}

/** Metrics that a birth message announces. They belong to a node or to one of its devices. */
export interface BirthMetrics {
  byName: Map<string, BirthMetric>;
  byAlias: Map<bigint, BirthMetric>;
  /** Refusals of metrics whose announcement is invalid, one sentence each. */
  refused: string[];
}

/** Maximum number of metrics of a node and its devices. */
export const MAX_METRICS_OF_NODE = 5_000;
/** Datatypes whose values can be a number or a text with a number. Excludes booleans, dates and lists. */
const NUMERIC = new Set([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14]);

/** Returns the metrics of a birth message. `room`: number of metrics that the node may still announce. */
export function readBirthMetrics({ metrics }: SparkplugPayload, room = MAX_METRICS_OF_NODE): BirthMetrics {
  const birth: BirthMetrics = { byName: new Map(), byAlias: new Map(), refused: [] };
  const meanings: MetricMeaningWithName[] = [];
  const twice = new Set<bigint>();
  for (const { name, alias, datatype = 0, unit } of metrics) {
    if (name === undefined) {
      birth.refused.push('a metric of a birth has no name');
      continue;
    }
    if (birth.byName.has(name)) {
      birth.refused.push(`${sanitiseMetricName(name)} is announced twice`);
      continue;
    }
    if (birth.byName.size >= room) {
      birth.refused.push(`a node has more than ${MAX_METRICS_OF_NODE} metrics`);
      break;
    }
    const born: BirthMetric = { name, datatype, quantity: null };
    birth.byName.set(name, born);
    const meaning = NUMERIC.has(datatype) ? findMetricMeaning(name, unit) : null;
    if (meaning) meanings.push({ ...meaning, name });
    if (alias === undefined) continue;
    if (birth.byAlias.has(alias)) twice.add(alias);
    else birth.byAlias.set(alias, born);
  }
  // If two metrics have the same alias, the alias is not used, because a later message could mean either of them.
  for (const alias of twice) {
    birth.byAlias.delete(alias);
    birth.refused.push(`alias ${alias} is announced twice`);
  }
  for (const [name, quantity] of assignChannels(meanings)) {
    const born = birth.byName.get(name);
    if (born) born.quantity = quantity;
  }
  return birth;
}

export const findBirthMetric = (birth: BirthMetrics, { name, alias }: SparkplugMetric): BirthMetric | undefined =>
  (name === undefined ? undefined : birth.byName.get(name)) ??
  (alias === undefined ? undefined : birth.byAlias.get(alias));

/** Shortens the name of a metric and replaces its control characters, for a refusal. */
export const sanitiseMetricName = (name: string): string => name.slice(0, 60).replaceAll(/\p{C}/gu, '?');
