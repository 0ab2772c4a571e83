import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { parse } from 'yaml';
import { DEBIAN_13 } from '../tiers/reach.ts';
import {
  BASE_IMAGE,
  podman,
  podmanEnvironment,
  podmanSucceeds,
  preparePodman,
  reservePodmanStorage,
} from './podman.ts';

const root = resolve(import.meta.dirname, '../../..');
/** Stage of deploy/Dockerfile that has its own tag, so that the next run can use the installed packages again. */
const PACKAGES = { whole: 'localhost/energy-test:whole' };
/** Targets of deploy/Dockerfile with the tags that the tests use. `default`: the target that a build without a target produces. */
export const IMAGE_TAGS = {
  service: 'localhost/energy-test:service',
  home: 'localhost/energy-test:home',
  default: 'localhost/energy-test:default',
};
/** Name of the image of Debian 13 with PostgreSQL, TimescaleDB, Patroni, etcd and HAProxy. */
const DEBIAN = `localhost/energy-${basename(DEBIAN_13)}`;
/** Base image of deploy/cluster's own images. The tests' Debian 13 gets this name, so that apt-get downloads only what it lacks. */
const DEBIAN_SLIM = 'docker.io/library/debian:13.1-slim';
/** Folders that the image of Debian 13 omits, because no container of the tests uses them. */
const NOT_COPIED = ['usr/lib/erlang', 'usr/lib/rabbitmq', 'usr/share/doc', 'usr/share/man', 'var/cache', 'var/lib/apt'];

/**
 * Global set-up of the tests of images. Builds every target of deploy/Dockerfile and the images of deploy/cluster as their users do, and
 * images for TimescaleDB and HAProxy. With IMAGES=home, builds only the image of a home. No image is pulled; only `npm ci` and apt-get need
 * a network. Layers are retained for the next run. Returns the function that ends the run.
 */
export default async function setUp(): Promise<() => void> {
  preparePodman();
  const release = await reservePodmanStorage();
  const isHomeOnly = process.env.IMAGES === 'home';
  for (const [target, tag] of Object.entries({ ...PACKAGES, ...(isHomeOnly ? { home: IMAGE_TAGS.home } : IMAGE_TAGS) }))
    buildTarget(target, tag);
  if (!isHomeOnly) buildOthers();
  podman('image', 'prune', '--force');
  return release;
}

/** Builds a target of deploy/Dockerfile. `default`: builds without naming a target. */
function buildTarget(target: string, tag: string): void {
  const began = performance.now();
  const chosen = target === 'default' ? [] : [`--target=${target}`];
  const file = `--file=${join(root, 'deploy/Dockerfile')}`;
  podman('build', '--pull=never', '--network=host', ...npmMounts(), file, ...chosen, `--tag=${tag}`, root);
  console.log(`built ${tag} in ${((performance.now() - began) / 1_000).toFixed(0)} s`);
}

/** Builds the images of deploy/cluster, and images that replace those of other projects. */
function buildOthers(): void {
  importDebian();
  standIn('timescaledb', 'compose.yaml', 'database');
  standIn('haproxy', 'cluster/compose.yaml', 'proxy-1');
  for (const [folder, service] of [
    ['etcd', 'etcd-1'],
    ['patroni', 'pg-1'],
  ] as const) {
    const context = join(root, 'deploy/cluster', folder);
    podman('build', '--pull=never', '--network=host', `--tag=${imageOf('cluster/compose.yaml', service)}`, context);
  }
}

/** Imports Debian 13 as an image under its own name and that of the slim image, unless it exists. */
function importDebian(): void {
  if (!podmanSucceeds('image', 'exists', DEBIAN)) {
    const excluded = NOT_COPIED.map((path) => `--exclude=./${path}/*`);
    execFileSync('sh', ['-c', 'tar -C "$0" -c "$@" . | podman import - "$TAG"', DEBIAN_13, ...excluded], {
      env: { ...podmanEnvironment(), TAG: DEBIAN },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  }
  podman('tag', DEBIAN, DEBIAN_SLIM);
}

/** Returns the image that a compose file of deploy/ names for a service. */
function imageOf(file: string, service: string): string {
  const { services } = parse(readFileSync(join(root, 'deploy', file), 'utf8'), { merge: true });
  return services[service].image;
}

/** Builds an image of Debian's packages from a local folder, under the name that a compose file would pull. */
function standIn(folder: string, file: string, service: string): void {
  const tag = `--tag=${imageOf(file, service)}`;
  podman(
    'build',
    '--pull=never',
    '--network=none',
    `--build-arg=DEBIAN=${DEBIAN}`,
    tag,
    join(import.meta.dirname, folder),
  );
}

/** Returns mounts of this machine's npm configuration, certificate authorities and cache, with which npm reaches its registry. */
function npmMounts(): string[] {
  const setting = (name: string) =>
    execFileSync('npm', ['config', 'get', name], { cwd: root, encoding: 'utf8' }).trim();
  const authorities = setting('cafile');
  const mounts = [
    [setting('userconfig'), '/root/.npmrc:ro'],
    [setting('globalconfig'), '/usr/local/etc/npmrc:ro'],
    [authorities, `${authorities}:ro`],
    [setting('cache'), '/root/.npm:rw'],
  ] as const;
  return mounts.filter(([from]) => existsSync(from)).map(([from, to]) => `--volume=${from}:${to}`);
}

/** Returns the size of an image without its base image, in MB of 1,000,000 bytes. */
export function getMegabytesAboveBaseImage(tag: string): number {
  const bytes = (image: string) => Number(podman('image', 'inspect', '--format', '{{.Size}}', image));
  return (bytes(tag) - bytes(BASE_IMAGE)) / 1_000_000;
}
