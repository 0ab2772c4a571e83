import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startOperatorListener } from '#src/api/operator.ts';
import { loadConfig } from '#src/config/load.ts';
import { variablesSchema } from '#src/config/sections.ts';
import { createLog } from '#src/core/log.ts';
import { startTestApi, type TestApi } from '#test/support/api.ts';
import { readComposeFile } from '#test/support/compose-file.ts';
import { getContainers, type Manifest, readKustomization } from '#test/support/kustomize.ts';

const root = resolve(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(resolve(root, path), 'utf8');
const OVERLAYS = ['base', 'small'];
const ROLES = ['api', 'ingest', 'worker'];
const base = readKustomization(resolve(root, 'deploy/kubernetes/base'));
const small = readKustomization(resolve(root, 'deploy/kubernetes/small'));
const all = { base, small } as Record<string, Manifest[]>;
const named = (objects: Manifest[], kind: string, name: string): Manifest => {
  const found = objects.filter((one) => one.kind === kind && one.metadata.name === name);
  expect(found, `${kind} ${name}`).toHaveLength(1);
  return found[0] as Manifest;
};
const deploymentOf = (role: string) => named(base, 'Deployment', `energy-${role}`);
const containerOf = (role: string) => getContainers(deploymentOf(role))[0];
const { version } = JSON.parse(read('package.json'));
/** Members of the Secret `energy`, from the documented command that creates the Secret. */
const secret = Object.fromEntries(
  [
    ...(/create secret generic energy [\s\S]+?```/
      .exec(read('docs/kubernetes.md'))?.[0]
      .matchAll(/--from-literal=(\w+)=(\S+)/g) ?? []),
  ].map(([, name = '', value = '']) => [name, value]),
);

/** Validates a Kubernetes object by the schema of its kind in the package `kubernetes-models`. Returns the errors, or null. */
async function schemaErrors(object: Manifest): Promise<string | null> {
  const { apiVersion, kind } = object;
  const name = `kubernetes-models/${apiVersion}/${kind}`;
  const { [kind]: Model } = await import(name);
  try {
    new Model(object).validate();
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Returns every JSON member at any depth of an object, with its path and the object that contains it. */
const membersOf = (value: unknown, path = ''): { parent: Manifest; name: string; path: string }[] =>
  typeof value !== 'object' || value === null
    ? []
    : Object.entries(value).flatMap(([name, one]) => [
        { parent: value as Manifest, name, path: `${path}/${name}` },
        ...membersOf(one, `${path}/${name}`),
      ]);

describe.each(OVERLAYS)('%s', (overlay) => {
  const objects = all[overlay] ?? [];

  test('follows the published schemas of Kubernetes, and has no member outside them', async () => {
    expect(objects.length).toBeGreaterThan(10);
    for (const object of objects) {
      expect(await schemaErrors(object)).toBeNull();
      // The schemas accept unknown members, so they do not find a misspelt member name. The loop therefore gives each member a value of a
      // wrong type: the schemas reject it only in a member that they know.
      for (const { parent, name, path } of membersOf(object)) {
        const value = parent[name];
        parent[name] = typeof value === 'object' ? 'x' : [[]];
        const where = `${object.kind} ${object.metadata.name}: ${path}`;
        if (!/^\/(apiVersion|kind)$/.test(path)) expect(await schemaErrors(object), where).not.toBeNull();
        parent[name] = value;
      }
    }
  });

  test('selects existing pods and ports', () => {
    const pods = objects.filter((one) => getContainers(one).length > 0);
    for (const { spec } of pods) expect(spec.template.metadata.labels).toMatchObject(spec.selector.matchLabels);
    const chosen = (labels: Record<string, string>) =>
      pods.filter(({ spec }) =>
        Object.entries(labels).every(([name, value]) => spec.template.metadata.labels[name] === value),
      );
    const portsOf = (labels: Record<string, string>): Set<string> =>
      new Set(
        chosen(labels)
          .flatMap(getContainers)
          .flatMap(({ ports }) => ports.map((one: { name: string }) => one.name)),
      );
    for (const { kind, spec } of objects) {
      if (kind === 'PodDisruptionBudget') expect(chosen(spec.selector.matchLabels)).toHaveLength(1);
      if (kind === 'Service') {
        expect(chosen(spec.selector)).toHaveLength(1);
        for (const { targetPort } of spec.ports) expect(portsOf(spec.selector)).toContain(targetPort);
      }
      if (kind === 'NetworkPolicy') {
        const { matchLabels } = spec.podSelector;
        for (const { ports } of spec.ingress ?? [])
          for (const { port } of ports) expect(portsOf(matchLabels)).toContain(port);
      }
    }
    // A network policy must select each pod, because a pod without a policy accepts every connection.
    for (const { spec } of pods) {
      const { labels } = spec.template.metadata;
      const policies = objects.filter(
        ({ kind, spec: policy }) =>
          kind === 'NetworkPolicy' &&
          chosen(policy.podSelector.matchLabels).some((one) => one.spec.template.metadata.labels === labels),
      );
      expect(new Set(policies.flatMap((policy) => policy.spec.policyTypes))).toEqual(new Set(['Ingress', 'Egress']));
    }
  });

  test('runs no container as root, with a writable root, or with a right that its process does not need', () => {
    for (const object of objects.filter((one) => getContainers(one).length > 0)) {
      const pod = object.spec.template.spec;
      expect(pod).toMatchObject({ automountServiceAccountToken: false, securityContext: { runAsNonRoot: true } });
      for (const container of getContainers(object)) {
        expect(container.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        const volumes = new Set(
          [...pod.volumes, ...(object.spec.volumeClaimTemplates ?? [])].map((one) => one.name ?? one.metadata.name),
        );
        expect(new Set(container.volumeMounts.map((one: { name: string }) => one.name))).toEqual(volumes);
      }
    }
  });
});

describe.each(ROLES)('the role %s', (role) => {
  const settings = named(base, 'ConfigMap', 'energy').data;

  test('gets an environment that it accepts, with a database, a certificate and the secret key', () => {
    const { args, envFrom, image } = containerOf(role);
    expect([args, image]).toEqual([[role], `energy-usage-service:${version}`]);
    expect(envFrom).toEqual([{ configMapRef: { name: 'energy' } }, { secretRef: { name: 'energy' } }]);
    const environment = { ...settings, ...secret };
    expect(Object.keys(environment).filter((name) => !(name in variablesSchema.shape))).toEqual([]);
    const config = loadConfig(environment);
    expect(config).toMatchObject({ dataDir: '/data', mqtt: { url: undefined, publicHost: 'mqtt.energy.example.com' } });
    for (const name of ['DATABASE_URL', 'SECRET_KEY', 'BOOTSTRAP_ADMIN_KEY', 'SMTP_URL'])
      expect(environment[name]).toBeDefined();
    const mounted = containerOf(role).volumeMounts.map((one: { mountPath: string }) => one.mountPath);
    expect(mounted).toEqual([config.dataDir, '/tmp', '/etc/energy/tls']);
    for (const file of [config.tls.certFile, config.tls.keyFile])
      expect(file).toMatch(/^\/etc\/energy\/tls\/tls\.(crt|key)$/);
    // The grace period must be long enough for the pod to drain its connections and then to stop (STOP_MS of src/start/role.ts).
    expect(deploymentOf(role).spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(
      config.api.drainSeconds + 9,
    );
  });

  test('has the ports on which it listens', () => {
    const { api, mqtt, operator } = loadConfig(settings);
    const expected = { api: { https: api.port }, ingest: { mqtts: mqtt.tlsPort }, worker: {} }[role];
    const ports = Object.fromEntries(
      containerOf(role).ports.map((one: { name: string; containerPort: number }) => [one.name, one.containerPort]),
    );
    expect(ports).toEqual({ ...expected, operator: operator.port });
    expect([api.host, mqtt.tlsHost, operator.host]).toEqual(Array(3).fill('0.0.0.0'));
  });
});

describe('a probe', () => {
  let api: TestApi;
  let operator: Awaited<ReturnType<typeof startOperatorListener>>;
  beforeAll(async () => {
    api = await startTestApi();
    const { OPERATOR_HOST } = named(base, 'ConfigMap', 'energy').data;
    const operated = {
      metrics: async () => [],
      health: async () => ({ api: 'up' }),
      publicUrl: '',
      access: {} as never,
    };
    const log = createLog('test', { level: 'silent', format: undefined });
    operator = await startOperatorListener({ host: OPERATOR_HOST, port: 0, names: [] }, operated, log);
  });
  afterAll(async () => {
    await operator.stop();
    await api.close();
  });

  test('requests an address that the port serves', async () => {
    const probes = ROLES.flatMap((role) => {
      const { startupProbe, livenessProbe, readinessProbe } = containerOf(role);
      return [startupProbe, livenessProbe, ...(readinessProbe ? [readinessProbe] : [])].map(({ httpGet }) => httpGet);
    });
    expect(probes).toHaveLength(8);
    for (const { path, port, scheme } of probes) {
      expect([port, scheme]).toEqual(port === 'https' ? ['https', 'HTTPS'] : ['operator', undefined]);
      const status =
        port === 'https'
          ? (await api.send(path)).status
          : (await fetch(`http://127.0.0.1:${operator.port}${path}`)).status;
      expect(status, path).toBe(200);
    }
  });
});

describe('the database of a small cluster', () => {
  test('has the image and the settings of the compose file, and the name in the documented address', () => {
    const filled = {
      POSTGRES_PASSWORD: 'p',
      SECRET_KEY: 'k'.repeat(32),
      BOOTSTRAP_ADMIN_KEY: `eus_live_${'k'.repeat(40)}`,
    };
    const { database } = readComposeFile(filled).services;
    const [container] = getContainers(named(small, 'StatefulSet', 'energy-database'));
    expect({ image: container.image, args: container.args }).toEqual({
      image: database?.image,
      args: database?.command,
    });
    const { hostname, port } = new URL(secret.DATABASE_URL ?? '');
    const service = named(small, 'Service', hostname);
    expect(service.spec.ports).toEqual([expect.objectContaining({ port: Number(port) })]);
  });

  test('runs next to one pod of each role; without it, each role has two pods', () => {
    const replicas = (objects: Manifest[]) =>
      objects.filter(({ kind }) => kind === 'Deployment').map(({ spec }) => spec.replicas);
    expect(replicas(small)).toEqual([1, 1, 1]);
    expect(replicas(base)).toEqual([2, 2, 2]);
  });
});
