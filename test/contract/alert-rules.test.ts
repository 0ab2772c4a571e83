import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { listPromQlExpressions, readAlertRules, readGrafanaDashboards } from '#test/support/monitoring-files.ts';
import { findUnknownMetrics, parsePromQl, parseScrape } from '#test/support/promql.ts';

const root = resolve(import.meta.dirname, '../..');
/** Runbooks for findings of `energy doctor` that have no metric and therefore no alert rule. */
const WITHOUT_RULE = ['WrongClock.md'];
/** Grafana's variable for the data source. */
const CHOSEN = ['$', '{datasource}'].join('');
const yaml = (path: string) => parse(readFileSync(resolve(root, path), 'utf8'));

describe('alert rules', () => {
  test('each has a page with its meaning, how to investigate, what to do, and when to stop worrying', () => {
    const pages = readdirSync(resolve(root, 'docs/runbooks')).filter((name) => name !== 'README.md');
    expect(pages.sort()).toEqual([...readAlertRules().map(({ alert }) => `${alert}.md`), ...WITHOUT_RULE].sort());
    for (const { alert, annotations } of readAlertRules()) {
      expect(annotations.runbook_url).toBe(`{{ $externalLabels.runbooks }}/${alert}.md`);
      const text = readFileSync(resolve(root, `docs/runbooks/${alert}.md`), 'utf8');
      expect(text.startsWith(`# ${alert}\n`), alert).toBe(true);
      const headings = [...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
      expect(headings, alert).toEqual(['What it means', 'How to look', 'What to do', 'When to stop worrying']);
    }
    expect(yaml('deploy/prometheus/prometheus.yaml').global.external_labels.runbooks).toMatch(/^https:\/\//);
  });

  test('each page names a metric of its rule, so that its reader can look at it', () => {
    for (const { alert, expr } of readAlertRules()) {
      const text = readFileSync(resolve(root, `docs/runbooks/${alert}.md`), 'utf8');
      const named = parsePromQl(expr).asked.filter(({ metric }) => text.includes(metric.replace(/_bucket$/, '')));
      expect(named, alert).not.toEqual([]);
    }
  });

  test('each has a delay, a severity and a description', () => {
    for (const { alert, labels, annotations, for: waits } of readAlertRules()) {
      expect([alert, waits]).toEqual([alert, expect.stringMatching(/^\d+[mh]$/)]);
      expect([alert, labels]).toEqual([alert, { severity: expect.stringMatching(/^(critical|warning)$/) }]);
      expect(annotations.summary.length, alert).toBeGreaterThan(20);
    }
  });

  test('the index of the pages lists all of them', () => {
    const index = readFileSync(resolve(root, 'docs/runbooks/README.md'), 'utf8');
    const linked = [...index.matchAll(/\]\((Energy\w+)\.md\)/g)].map(([, name]) => name);
    expect(linked.sort()).toEqual(
      readAlertRules()
        .map(({ alert }) => alert)
        .sort(),
    );
  });
});

describe('dashboards', () => {
  test('use the chosen data source, and have unique ids and positions', () => {
    const all = readGrafanaDashboards();
    expect(new Set(all.map(({ uid }) => uid)).size).toBe(all.length);
    for (const { file, templating, panels } of all) {
      expect([file, templating.list.map(({ name, type }) => `${type} ${name}`)]).toEqual([
        file,
        ['datasource datasource', 'query job'],
      ]);
      expect(new Set(panels.map(({ id }) => id)).size, file).toBe(panels.length);
      for (const { title, type, datasource, targets = [], gridPos, description } of panels) {
        expect(gridPos.x + gridPos.w, `${file}: ${title}`).toBeLessThanOrEqual(24);
        if (type === 'row') continue;
        expect(targets.length, `${file}: ${title}`).toBeGreaterThan(0);
        expect(description, `${file}: ${title}`).toBeTruthy();
        for (const one of [datasource, ...targets.map((target) => target.datasource)])
          expect(one?.uid, `${file}: ${title}`).toBe(CHOSEN);
      }
      const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
        Array.from({ length: w * h }, (_, index) => `${x + (index % w)} ${y + Math.floor(index / w)}`),
      );
      expect(new Set(cells).size, `${file}: panels lie on each other`).toBe(cells.length);
    }
  });

  test('are in the folder that the provisioning file names, and use a data source that it defines', () => {
    const [provider] = yaml('deploy/grafana/provisioning/dashboards/energy.yaml').providers;
    expect(provider.type).toBe('file');
    expect(existsSync(resolve(root, 'deploy/grafana', basename(provider.options.path)))).toBe(true);
    const [datasource] = yaml('deploy/grafana/provisioning/datasources/prometheus.yaml').datasources;
    expect(datasource.type).toBe('prometheus');
  });
});

test('every expression is PromQL', () => {
  expect(listPromQlExpressions().length).toBeGreaterThan(50);
  for (const { where, expression } of listPromQlExpressions())
    expect(() => parsePromQl(expression), where).not.toThrow();
});

test('an expression with a metric that the service does not export is detected', () => {
  const known = parseScrape(
    [
      '# TYPE a_total counter',
      'a_total{role="api",status="2\\"00"} 1',
      '# TYPE b gauge',
      '# TYPE c histogram',
      'c_bucket{le="0.1"} 0',
      'c_sum 2.5e-7',
    ].join('\n'),
  );
  expect(findUnknownMetrics('sum by (role) (rate(a_total{status=~"2.."}[5m])) / max(b)', known)).toEqual([]);
  expect(findUnknownMetrics('histogram_quantile(0.9, sum by (le, instance) (rate(c_bucket[5m])))', known)).toEqual([]);
  expect(findUnknownMetrics('up == 0', known)).toEqual([]);
  expect(findUnknownMetrics('sum by (route) (d)', known)).toEqual(['d is no metric']);
  expect(findUnknownMetrics('sum by (route) (rate(a_total{state="x"}[5m]))', known)).toEqual([
    'a_total has no label state',
    'no metric of it has the label route',
  ]);
  expect(() => findUnknownMetrics('sum(a_total', known)).toThrow('not PromQL');
});
