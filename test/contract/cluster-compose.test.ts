import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadConfig } from '#src/config/load.ts';
import { variablesSchema } from '#src/config/sections.ts';
import { type ComposeService, readComposeFile } from '#test/support/compose-file.ts';

const root = resolve(import.meta.dirname, '../..');
const deploy = resolve(root, 'deploy/cluster');
const read = (path: string) => readFileSync(resolve(root, path), 'utf8');
const example = read('deploy/cluster/.env.example');
/** Names of all empty secrets in the example file, except those that may stay empty. */
const secrets = [...example.matchAll(/^(\w+(?:PASSWORD|COOKIE|KEY))=$/gm)].map(([, name]) => name as string);
const filled = Object.fromEntries(
  secrets.map((name) => [name, `eus_live_${name.toLowerCase().replaceAll('_', '')}${'k'.repeat(32)}`]),
);
const compose = readComposeFile(filled, 'cluster/');
const { services } = compose;
/** The same with RabbitMQ. */
const withRabbitMq = readComposeFile(
  {
    ...filled,
    COMPOSE_FILE: 'compose.yaml:rabbitmq/compose.yaml',
    MQTT_URL: 'amqps://energy-ingest:x@broker-1,broker-2,broker-3',
    MQTT_PROXY: 'rabbitmq/mqtt.cfg',
  },
  'cluster/',
).services;
const of = (prefix: string): [string, ComposeService][] =>
  Object.entries(services).filter(([name]) => new RegExp(`^${prefix}-\\d$`).test(name));
const mounts = ({ volumes = [] }: ComposeService) =>
  volumes
    .map((text) => text.split(':') as [string, string, string?])
    .filter(([from]) => from.startsWith('.'))
    .map(([from, to, how]) => ({ from, to, how }));

/** Path of a copy of the deployment folder in which certificates.sh was run, so that its output is next to the compose file. */
let made: string;
beforeAll(() => {
  made = mkdtempSync(join(tmpdir(), 'energy-cluster-'));
  execFileSync(join(deploy, 'certificates.sh'), ['energy.example.com', 'gateways.example.com'], { cwd: made });
});
afterAll(() => rmSync(made, { recursive: true }));

describe('the cluster’s compose file', () => {
  test('is valid by the schema of the Compose Specification, and has the services of a cluster', () => {
    const ajv = new Ajv({ strict: false, validateFormats: false });
    const { $schema: _draft7, ...schema } = JSON.parse(read('test/data/compose-spec/compose-spec.json'));
    const valid = ajv.compile(schema);
    expect(valid(compose) ? [] : valid.errors).toEqual([]);
    const counted = ['etcd', 'pg', 'broker', 'ingest', 'api', 'worker', 'proxy'].map((name) => [name, of(name).length]);
    expect(Object.fromEntries(counted)).toEqual({ etcd: 3, pg: 2, broker: 3, ingest: 2, api: 2, worker: 2, proxy: 2 });
    expect(
      Object.entries(services)
        .filter(([, one]) => !one.healthcheck)
        .map(([name]) => name),
    ).toEqual([]);
  });

  test.each(['ingest-1', 'ingest-2', 'ingest-gateways', 'api-1', 'api-2', 'worker-1', 'worker-2'])(
    'gives %s an environment that it accepts',
    (name) => {
      const { environment = {}, command } = services[name] as ComposeService;
      expect(command).toEqual([name.split('-')[0]]);
      // Node itself reads NODE_EXTRA_CA_CERTS, so it is not a setting of the service.
      const { NODE_EXTRA_CA_CERTS, ...own } = environment;
      expect(Object.keys(own).filter((variable) => !(variable in variablesSchema.shape))).toEqual([]);
      const config = loadConfig(own);
      expect(config.database.url).toBe(`postgres://energy:${filled.ENERGY_PASSWORD}@pg-1:5432,pg-2:5432/energy`);
      if (/ingest-\d/.test(name)) {
        expect([config.mqtt.url, config.mqtt.host, config.api.trustProxy.length]).toEqual([undefined, '0.0.0.0', 1]);
        expect(withRabbitMq[name]?.environment?.MQTT_URL).toMatch(/^amqps:/);
        expect(NODE_EXTRA_CA_CERTS).toBe('/etc/energy/tls/ca.crt');
      }
      if (name === 'ingest-gateways') expect(config.mqtt.url).toMatch(/^mqtt:.*@gateways:1883$/);
      const { drainSeconds } = config.api;
      expect([/(api|ingest)-\d/.test(name) ? 6 : 0, '20s']).toEqual([
        drainSeconds,
        drainSeconds ? services[name]?.stop_grace_period : '20s',
      ]);
    },
  );

  test('sets every variable that a configuration file requires, for each container', () => {
    const unset = (prefix: string, names: Iterable<string>) =>
      of(prefix).flatMap(([name, one]) =>
        [...names].filter((variable) => !one.environment?.[variable]).map((variable) => `${name} ${variable}`),
      );
    const named = (text: string, pattern: RegExp) => new Set([...text.matchAll(pattern)].map(([, name = '']) => name));
    const proxied = ['haproxy.cfg', 'mqtt.cfg', 'rabbitmq/mqtt.cfg'].map((file) => read(`deploy/cluster/${file}`));
    const cfg = named(proxied.join('\n'), /\$\{(\w+)\}/g);
    // Optional.
    expect(cfg.delete('MQTTS_CLIENT_CA')).toBe(true);
    const rabbit = named(read('deploy/cluster/rabbitmq/rabbitmq.conf'), /^[^#].*\$\((\w+)\)/gm);
    // The variables that Patroni and etcd need are listed in the comment at the beginning of patroni.yml and in the comments of etcd.env.
    const head = read('deploy/cluster/patroni/patroni.yml').split('\nscope:')[0] ?? '';
    const patroni = new Set(
      [...head.matchAll(/\b(PATRONI_\w+|ENERGY_\w+)(?: and (_\w+))?/g)].flatMap(([, name = '', other]) => [
        name,
        ...(other ? [name.replace(/_[A-Z]+$/, other)] : []),
      ]),
    );
    const etcd = named(read('deploy/cluster/etcd/etcd.env'), /(?:^#.*?|[ ,])\b(ETCD_\w+)(?=[,.: ])/gm);
    expect([cfg.size, rabbit.size, patroni.size, etcd.size]).toEqual([19, 6, 13, 7]);
    expect([
      ...unset('proxy', cfg),
      ...unset('broker', rabbit),
      ...unset('pg', patroni),
      ...unset('etcd', etcd),
    ]).toEqual([]);
    for (const [, one] of of('etcd')) expect(one.env_file).toEqual(['etcd/etcd.env']);
  });

  test('refers from each container only to containers that share a network with it', () => {
    const networksOf = ({ networks = [] }: ComposeService) =>
      Array.isArray(networks) ? networks : Object.keys(networks);
    const aliases = (network: string, one: ComposeService) =>
      Array.isArray(one.networks) ? [] : (one.networks?.[network]?.aliases ?? []);
    const known = (network: string) =>
      Object.entries(withRabbitMq)
        .filter(([, one]) => networksOf(one).includes(network))
        .flatMap(([name, one]) => [name, ...aliases(network, one)]);
    const everyone = new Set(Object.values(withRabbitMq).flatMap((one) => networksOf(one).flatMap(known)));
    // A name that ends with a hyphen and a digit must be the name of a container.
    const numbered = '[a-z]+-\\d';
    const host = new RegExp(`(?<![\\w./-])(${[numbered, ...everyone].join('|')})(?=:\\d|,|=|/|$)`, 'g');
    let leads = 0;
    for (const [name, one] of Object.entries(withRabbitMq)) {
      const reached = new Set(networksOf(one).flatMap(known));
      for (const [variable, value] of Object.entries(one.environment ?? {})) {
        // Checks only variables whose values contain host names of other services, with or without a port.
        if (!/URL|HOSTS|_\d(_TLS)?$|CLUSTER|OPERATOR/.test(variable)) continue;
        for (const [, target = ''] of String(value).matchAll(host)) {
          leads++;
          expect(reached, `${name} ${variable}`).toContain(target);
        }
      }
    }
    expect(leads).toBeGreaterThan(50);
  });

  test('mounts only files that exist or that certificates.sh and mosquitto_passwd create, equal within each group', () => {
    const missing = Object.values(services).flatMap((one) =>
      mounts(one).filter(
        ({ from }) => from !== './passwords' && !existsSync(resolve(from.startsWith('./tls') ? made : deploy, from)),
      ),
    );
    expect(missing).toEqual([]);
    expect(
      Object.values(services)
        .flatMap(mounts)
        .filter(({ how }) => how !== 'ro'),
    ).toEqual([]);
    for (const group of ['pg', 'broker', 'proxy', 'ingest', 'api', 'worker'])
      expect(new Set(of(group).map(([, one]) => JSON.stringify(mounts(one)))).size, group).toBe(1);
    // Patroni executes post-bootstrap.sh, so the script must be executable.
    expect(statSync(join(deploy, 'patroni/post-bootstrap.sh')).mode & 0o111).toBe(0o111);
    // Every generated file to which a container's configuration or environment refers must exist.
    const texts = (one: ComposeService) => [
      JSON.stringify(one.environment ?? {}),
      ...mounts(one)
        .filter(({ from }) => !from.startsWith('./tls') && from !== './passwords')
        .map(({ from }) => readFileSync(resolve(deploy, from), 'utf8')),
    ];
    let named = 0;
    for (const [name, one] of Object.entries(services))
      for (const { from, to } of mounts(one).filter(({ from }) => from.startsWith('./tls')))
        for (const [, file = ''] of texts(one)
          .join('\n')
          .matchAll(new RegExp(`${to}/([\\w.]+)`, 'g'))) {
          named++;
          expect(existsSync(join(made, from, file)), `${name}: ${from}/${file}`).toBe(true);
        }
    expect(named).toBeGreaterThan(20);
  });

  test('has certificates of one authority that contain the host names by which clients connect', () => {
    const verify = (file: string, host: string) =>
      execFileSync(
        'openssl',
        ['verify', '-x509_strict', '-CAfile', 'tls/ca.crt', '-verify_hostname', host, `tls/${file}`],
        { cwd: made, encoding: 'utf8', stdio: 'pipe' },
      );
    for (const host of ['energy.example.com', ...of('broker').map(([name]) => name)])
      expect(verify('broker/node.crt', host)).toMatch(/OK/);
    expect(verify('api/api.crt', services['proxy-1']?.environment?.API_NAME ?? '')).toMatch(/OK/);
    expect(verify('proxy/proxy.pem', 'energy.example.com')).toMatch(/OK/);
    expect(verify('gateways/gateways.crt', 'gateways.example.com')).toMatch(/OK/);
    expect(() => verify('api/api.crt', 'energy.example.com')).toThrow();
  });

  test('lists everything that must be set in the example, and pins images', () => {
    const names = [...read('deploy/cluster/compose.yaml').matchAll(/(?<!\$)\$\{(\w+)/g)].map(([, name]) => name);
    expect([...new Set(names)].filter((name) => !new RegExp(`^${name}=`, 'm').test(example))).toEqual([]);
    const images = Object.values(services).map(({ image }) => image);
    expect(images.filter((image) => !/:(\d+\.\d+\.\d+|17-4\.0|3\.5)$/.test(image))).toEqual([]);
    for (const built of ['etcd', 'patroni'])
      expect(read(`deploy/cluster/${built}/Dockerfile`)).toMatch(/^FROM debian:13\.\d+-slim$/m);
    const { version } = JSON.parse(read('package.json'));
    const own = images.filter((image) => image.startsWith('energy-usage-service:'));
    expect(own).toEqual(Array(7).fill(`energy-usage-service:${version}`));
  });

  test('assigns each container to a machine, and all of them to one with the unchanged example', () => {
    const [, profiles = ''] = /^COMPOSE_PROFILES=(.+)$/m.exec(example) ?? [];
    const outside = Object.entries(services).filter(
      ([, one]) => !one.profiles?.some((profile) => profiles.split(',').includes(profile)),
    );
    // On a single machine, proxy-2 does not run, because it needs the same ports as proxy-1.
    const ofRabbitMq = ['broker-1', 'broker-2', 'broker-3', 'gateways', 'ingest-gateways'];
    expect(outside.map(([name]) => name).sort()).toEqual([...ofRabbitMq, 'proxy-2']);
    const on = (machine: string) => Object.values(services).filter(({ profiles }) => profiles?.includes(machine));
    const published = (machine: string) => on(machine).flatMap(({ ports = [] }) => ports);
    for (const machine of ['machine-1', 'machine-2', 'machine-3', 'rabbitmq-3'])
      expect(new Set(published(machine)).size).toBe(published(machine).length);
    expect(services['proxy-1']?.ports).toContain('127.0.0.1:1883:1883');
  });

  test('lets API and ingest trust the network of the proxies', () => {
    const { front } = compose.networks;
    const inFront = Object.entries(services).filter(([, { networks }]) => (networks as string[]).includes('front'));
    for (const name of ['api-1', 'api-2', 'ingest-1', 'ingest-2'])
      expect(services[name]?.environment?.TRUST_PROXY).toBe(front?.ipam?.config?.[0]?.subnet);
    const names = inFront.map(([name]) => name).filter((name) => !/^(broker|api|ingest|proxy)-\d$/.test(name));
    // The broker `gateways` is also in network `front`, because it publishes a port. It does not call the API or ingest.
    expect(names).toEqual(['gateways']);
  });

  test('needs nothing that podman-compose 1.0 of Debian 12 does not read', () => {
    expect(Object.values(services).filter(({ networks }) => !Array.isArray(networks))).toEqual([]);
    // podman-compose 1.0 uses an empty default literally, and applies a default only if the variable is missing from .env.
    const text = read('deploy/cluster/compose.yaml');
    expect(text.match(/\$\{\w+:-\}/g)).toBeNull();
    const defaults = [...text.matchAll(/\$\{(\w+):-/g)].map(([, name]) => name);
    expect(defaults.filter((name) => new RegExp(`^${name}=$`, 'm').test(example))).toEqual([]);
  });

  test('mounts the same configuration files as the tests of clusters', () => {
    const fixtures = readdirSync(resolve(root, 'test/support/cluster'))
      .map((name) => read(`test/support/cluster/${name}`))
      .join('\n');
    const mounted = [...Object.values(services), ...Object.values(withRabbitMq)].flatMap((one) => [
      ...mounts(one).map(({ from }) => from),
      ...(one.env_file ?? []).map((file) => `./${file}`),
    ]);
    const files = readdirSync(deploy, { recursive: true, encoding: 'utf8' }).filter(
      (file) => statSync(join(deploy, file)).isFile() && !/^(tls|passwords)\/|^\.env$/.test(file),
    );
    const notRun = [
      // Files of deploy/cluster that no container uses in the tests.
      ...['.env.example', 'README.md', 'certificates.sh', 'compose.yaml', 'rabbitmq/COMPOSE.md', 'rabbitmq/README.md'],
      'rabbitmq/compose.yaml',
      ...['etcd/Dockerfile', 'patroni/Dockerfile'],
      // Files that only real containers need: the tests choose the ports, and run mosquitto without TLS.
      ...['gateways/tls.conf', 'rabbitmq/plain-mqtt.conf'],
    ];
    const isRun = (file: string) => new RegExp(`['/]${file.split('/').at(-1)}'`).test(fixtures);
    expect(files.filter((file) => !isRun(file)).sort()).toEqual(notRun.sort());
    expect(files.filter(isRun).filter((file) => !mounted.includes(`./${file}`))).toEqual([]);
  });
});
