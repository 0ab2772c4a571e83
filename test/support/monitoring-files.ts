import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parse } from 'yaml';

const deploy = resolve(import.meta.dirname, '../../deploy');

interface PrometheusAlertRule {
  alert: string;
  expr: string;
  for: string;
  labels: { severity: string };
  annotations: { summary: string; runbook_url: string };
}

/** Returns the alert rules of deploy/prometheus. */
export const readAlertRules = (): PrometheusAlertRule[] =>
  (
    parse(readFileSync(resolve(deploy, 'prometheus/alerts.yaml'), 'utf8')) as {
      groups: { rules: PrometheusAlertRule[] }[];
    }
  ).groups.flatMap(({ rules }) => rules);

interface Panel {
  id: number;
  title: string;
  type: string;
  description?: string;
  datasource?: { uid: string };
  targets?: { expr: string; refId: string; datasource: { uid: string } }[];
  gridPos: { x: number; y: number; w: number; h: number };
}

interface GrafanaDashboard {
  file: string;
  uid: string;
  title: string;
  templating: { list: { name: string; type: string; query: string }[] };
  panels: Panel[];
}

/** Returns the dashboards of deploy/grafana. */
export function readGrafanaDashboards(): GrafanaDashboard[] {
  const folder = resolve(deploy, 'grafana/dashboards');
  return readdirSync(folder).map((file) => ({ file, ...JSON.parse(readFileSync(resolve(folder, file), 'utf8')) }));
}

/** Replaces Grafana's variables in an expression by the values that the tests use. */
const filledIn = (expression: string): string =>
  expression.replaceAll('$__rate_interval', '5m').replaceAll('$job', 'energy');

/** Returns every PromQL expression of the alert rules and dashboards, with its location. */
export const listPromQlExpressions = (): { where: string; expression: string }[] => [
  ...readAlertRules().map(({ alert, expr }) => ({ where: alert, expression: expr })),
  ...readGrafanaDashboards().flatMap(({ file, panels }) =>
    panels.flatMap(({ title, targets = [] }) =>
      targets.map(({ expr }) => ({ where: `${file}: ${title}`, expression: filledIn(expr) })),
    ),
  ),
];
