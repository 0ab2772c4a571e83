import { spawnSync } from 'node:child_process';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readAlertRules } from '#test/support/monitoring-files.ts';
import { createTemporaryFolder } from '#test/support/service.ts';

/** Tests the alert rules with promtool, on metrics of four hours. Metrics that a test case does not set have the values of a normal day. */
const deploy = resolve(import.meta.dirname, '../../../deploy/prometheus');
const AT = 'instance="one:9464",job="energy"';
const FLAT = (value: number | string) => `${value}x240`;
const RISING = (perMinute: number) => `0+${perMinute}x240`;

const role = (name: string) => `energy_role_up{${AT},role="${name}"}`;
const database = (name: string) => `energy_database_up{${AT},role="${name}"}`;
const worker = (name: string) => `${name}{${AT},role="worker"}`;
const ingest = (name: string) => `${name}{${AT},role="ingest"}`;
const tried = (channel: string, result: string) =>
  `energy_deliveries_tried_total{${AT},role="worker",channel="${channel}",result="${result}"}`;
const answered = (status: string) =>
  `energy_http_requests_total{${AT},role="api",method="GET",route="/v1/users",status="${status}"}`;
const within = (le: string) =>
  `energy_http_request_duration_seconds_bucket{${AT},role="api",method="GET",route="/v1/users",le="${le}"}`;
const GIB = 2 ** 30;
const CERTIFICATE = `energy_certificate_expires_timestamp_seconds{${AT},role="api"}`;
const ANSWER = `energy_database_answer_seconds{${AT},role="api"}`;
const STANDBY_UP = `energy_standby_up{${AT},role="api"}`;
const STANDBY_LAG = `energy_standby_lag_seconds{${AT},role="api"}`;
const FREE = worker('energy_data_dir_free_bytes');

const GOOD_DAY: Record<string, string> = {
  [`up{${AT}}`]: FLAT(1),
  [role('ingest')]: FLAT(1),
  [role('api')]: FLAT(1),
  [role('worker')]: FLAT(1),
  [database('api')]: FLAT(1),
  [ANSWER]: FLAT(0.001),
  [STANDBY_UP]: FLAT(1),
  [STANDBY_LAG]: FLAT(0.5),
  [ingest('energy_broker_connected')]: FLAT(1),
  [worker('energy_ingest_lag_seconds')]: FLAT(20),
  [ingest('energy_messages_waiting')]: FLAT(200),
  [worker('energy_devices_heard_in_day')]: FLAT(100),
  [worker('energy_devices_heard_in_hour')]: FLAT(92),
  [ingest('energy_messages_received_total')]: RISING(6_000),
  [ingest('energy_readings_rejected_total')]: RISING(60),
  [ingest('energy_stray_messages')]: FLAT(0),
  [worker('energy_delivery_overdue_seconds')]: FLAT(1),
  [tried('email', 'succeeded')]: RISING(10),
  [tried('email', 'failed')]: RISING(1),
  // A failing webhook receiver is the problem of its owner, so no alert fires for the operator.
  [tried('webhook', 'succeeded')]: RISING(1),
  [tried('webhook', 'failed')]: RISING(50),
  [worker('energy_usage_changes_waiting')]: FLAT(100),
  [worker('energy_late_differences_waiting')]: FLAT(500),
  [answered('200')]: RISING(1_000),
  [answered('404')]: RISING(500),
  [answered('503')]: RISING(1),
  [within('0.1')]: RISING(1_400),
  [within('1')]: RISING(1_490),
  [within('2.5')]: RISING(1_500),
  [within('+Inf')]: RISING(1_500),
  // promtool's clock starts in 1970. The certificate expires 60 days after this start.
  [CERTIFICATE]: FLAT(60 * 86_400),
  [FREE]: FLAT(40 * GIB),
  [worker('energy_data_dir_size_bytes')]: FLAT(100 * GIB),
};

/** Test cases: the metrics that differ from a normal day, and the alerts that must fire after four hours. */
const CASES: Record<string, { series: Record<string, string | null>; fire: string[] }> = {
  'a good day': { series: {}, fire: [] },
  'an installation without a standby, a device or a request': {
    series: {
      [STANDBY_UP]: null,
      [STANDBY_LAG]: null,
      [worker('energy_ingest_lag_seconds')]: null,
      [worker('energy_devices_heard_in_day')]: FLAT(0),
      [worker('energy_devices_heard_in_hour')]: FLAT(0),
      [ingest('energy_messages_received_total')]: FLAT(0),
      [ingest('energy_readings_rejected_total')]: FLAT(0),
      [ingest('energy_stray_messages')]: null,
      ...Object.fromEntries([answered('200'), answered('404'), answered('503')].map((one) => [one, null])),
      ...Object.fromEntries(['0.1', '1', '2.5', '+Inf'].map((le) => [within(le), null])),
    },
    fire: [],
  },
  'three devices, two of them silent': {
    series: {
      [worker('energy_devices_heard_in_day')]: FLAT(3),
      [worker('energy_devices_heard_in_hour')]: FLAT(1),
    },
    fire: [],
  },
  'the service is gone': {
    series: {
      ...Object.fromEntries(Object.keys(GOOD_DAY).map((series) => [series, null])),
      [`up{${AT}}`]: FLAT(0),
    },
    fire: ['EnergyRoleDown', 'EnergyScrapeFailed'],
  },
  'no worker': { series: { [role('worker')]: null }, fire: ['EnergyRoleDown'] },
  'the database does not answer one role': { series: { [database('api')]: FLAT(0) }, fire: ['EnergyDatabaseDown'] },
  'the database is slow': { series: { [ANSWER]: FLAT(0.8) }, fire: ['EnergyDatabaseSlow'] },
  'the standby is away': { series: { [STANDBY_UP]: FLAT(0), [STANDBY_LAG]: null }, fire: ['EnergyStandbyAway'] },
  'the standby is behind': { series: { [STANDBY_LAG]: RISING(10) }, fire: ['EnergyStandbyBehind'] },
  'the broker is away': {
    series: { [ingest('energy_broker_connected')]: FLAT(0) },
    fire: ['EnergyBrokerDisconnected'],
  },
  'nobody is heard': { series: { [worker('energy_ingest_lag_seconds')]: RISING(60) }, fire: ['EnergyIngestLag'] },
  'messages pile up': { series: { [ingest('energy_messages_waiting')]: FLAT(18_000) }, fire: ['EnergyIngestBacklog'] },
  'a third is silent': {
    series: { [worker('energy_devices_heard_in_hour')]: FLAT(66) },
    fire: ['EnergyDevicesSilent'],
  },
  'a tenth is rejected': {
    series: { [ingest('energy_readings_rejected_total')]: RISING(600) },
    fire: ['EnergyReadingsRejected'],
  },
  'somebody’s messages are at the cluster': {
    series: { [ingest('energy_stray_messages')]: FLAT(3) },
    fire: ['EnergyStrayMessages'],
  },
  'a device cannot be computed anew': {
    series: { [ingest('energy_devices_not_computed')]: FLAT(1) },
    fire: ['EnergyDevicesNotComputed'],
  },
  'nobody takes deliveries': {
    series: { [worker('energy_delivery_overdue_seconds')]: RISING(60) },
    fire: ['EnergyOutboxStuck'],
  },
  'the mail server refuses': {
    series: { [tried('email', 'succeeded')]: FLAT(0), [tried('email', 'failed')]: RISING(11) },
    fire: ['EnergyMessagesFailing'],
  },
  'alerts are late': {
    series: { [worker('energy_usage_changes_waiting')]: FLAT(50_000) },
    fire: ['EnergyAlertsLate'],
  },
  'aggregates are late': {
    series: { [worker('energy_late_differences_waiting')]: FLAT(5_000) },
    fire: ['EnergyAggregatesLate'],
  },
  'the API fails': { series: { [answered('503')]: RISING(100) }, fire: ['EnergyApiErrors'] },
  'the API is slow': { series: { [within('1')]: RISING(1_410) }, fire: ['EnergyApiSlow'] },
  'the certificate ends': { series: { [CERTIFICATE]: FLAT(10 * 86_400) }, fire: ['EnergyCertificateEnds'] },
  'the disk is full by its share': { series: { [FREE]: FLAT(9 * GIB) }, fire: ['EnergyDiskFull'] },
  'the small disk is full by its bytes': {
    series: { [FREE]: FLAT(1 * GIB), [worker('energy_data_dir_size_bytes')]: FLAT(5 * GIB) },
    fire: ['EnergyDiskFull'],
  },
  'the disk fills': { series: { [FREE]: `${40 * GIB}-${10 * 2 ** 20}x240` }, fire: ['EnergyDiskFilling'] },
};

let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
beforeAll(async () => {
  folder = await createTemporaryFolder();
});
afterAll(() => folder.remove());

function promtool(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8', cwd: folder.path });
  return status === 0 ? 'SUCCESS' : `${stdout}${stderr}`;
}

test('Prometheus accepts the configuration and the rules', () => {
  expect(promtool('check', 'config', join(deploy, 'prometheus.yaml'))).toBe('SUCCESS');
});

test('each rule fires in its own case, and in no other', () => {
  expect(new Set(Object.values(CASES).flatMap(({ fire }) => fire))).toEqual(
    new Set(readAlertRules().map(({ alert }) => alert)),
  );
  copyFileSync(join(deploy, 'alerts.yaml'), join(folder.path, 'alerts.yaml'));
  const tests = Object.entries(CASES).map(([name, { series, fire }]) => ({
    name,
    interval: '1m',
    input_series: Object.entries({ ...GOOD_DAY, ...series }).flatMap(([one, values]) =>
      values === null ? [] : [{ series: one, values }],
    ),
    promql_expr_test: [
      {
        expr: 'count by (alertname) (count by (alertname) (ALERTS{alertstate="firing"}))',
        eval_time: '4h',
        exp_samples: fire.map((alertname) => ({ labels: `{alertname="${alertname}"}`, value: 1 })),
      },
    ],
  }));
  // The file contains JSON, which is also valid YAML. Evaluating the rules every 5 minutes is sufficient, because the metrics change
  // slowly.
  const file = { rule_files: ['alerts.yaml'], evaluation_interval: '5m', tests };
  writeFileSync(join(folder.path, 'tests.yaml'), JSON.stringify(file));
  expect(promtool('test', 'rules', 'tests.yaml')).toBe('SUCCESS');
});

test('a notification explains the problem and links to the documentation', () => {
  const tests = [
    {
      interval: '1m',
      external_labels: { runbooks: 'https://runbooks.example' },
      input_series: [{ series: worker('energy_delivery_overdue_seconds'), values: FLAT(600) }],
      alert_rule_test: [
        {
          alertname: 'EnergyOutboxStuck',
          eval_time: '10m',
          exp_alerts: [
            {
              exp_labels: { severity: 'critical' },
              exp_annotations: {
                summary: 'A delivery has been due for 10m 0s, and no worker has sent it',
                runbook_url: 'https://runbooks.example/EnergyOutboxStuck.md',
              },
            },
          ],
        },
      ],
    },
  ];
  copyFileSync(join(deploy, 'alerts.yaml'), join(folder.path, 'alerts.yaml'));
  writeFileSync(join(folder.path, 'told.yaml'), JSON.stringify({ rule_files: ['alerts.yaml'], tests }));
  expect(promtool('test', 'rules', 'told.yaml')).toBe('SUCCESS');
});
