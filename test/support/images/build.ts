import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { parse } from 'yaml';
import { DEBIAN_13_FOLDER } from '../tiers/available-tiers.ts';
import {
  BASE_IMAGE,
  createPodmanEnvironment,
  isPodmanSuccessful,
  preparePodman,
  reservePodmanStorage,
  runPodman,
} from './podman.ts';

const root = resolve(import.meta.dirname, '../../..');
/** A build stage of deploy/Dockerfile. It gets its own tag, so that the next run reuses the packages in it. */
const PACKAGES = { whole: 'localhost/energy-test:whole' };
/** Build targets of deploy/Dockerfile, with their tags. `default`: the target without a name. */
export const IMAGE_TAGS = {
  service: 'localhost/energy-test:service',
  home: 'localhost/energy-test:home',
  default: 'localhost/energy-test:default',
};
/** Name of the Debian 13 image with PostgreSQL, TimescaleDB, Patroni, etcd and HAProxy. */
const DEBIAN = `localhost/energy-${basename(DEBIAN_13_FOLDER)}`;
/** Base image of the images in deploy/cluster. The tests give this name to their own Debian 13 image. */
const DEBIAN_SLIM = 'docker.io/library/debian:13.1-slim';
/** Folders that are not copied into the Debian 13 image, because no container of the tests uses them. */
const NOT_COPIED = ['usr/lib/erlang', 'usr/lib/rabbitmq', 'usr/share/doc', 'usr/share/man', 'var/cache', 'var/lib/apt'];

/**
 * Global set-up of the tests of images: builds every target of deploy/Dockerfile, the images of deploy/cluster, and substitutes for the
 * images of TimescaleDB and HAProxy. Pulls no image. Returns the teardown function.
 */
export default async function setUp(): Promise<() => void> {
  preparePodman();
  const release = await reservePodmanStorage();
  for (const [target, tag] of Object.entries({ ...PACKAGES, ...IMAGE_TAGS })) buildTarget(target, tag);
  buildOthers();
  runPodman('image', 'prune', '--force');
  return release;
}

/** Builds a target of deploy/Dockerfile. `default` is the target without a name, so the command does not name it. */
function buildTarget(target: string, tag: string): void {
  const began = performance.now();
  const chosen = target === 'default' ? [] : [`--target=${target}`];
  const file = `--file=${join(root, 'deploy/Dockerfile')}`;
  runPodman('build', '--pull=never', '--network=host', ...npmMounts(), file, ...chosen, `--tag=${tag}`, root);
  console.log(`built ${tag} in ${((performance.now() - began) / 1_000).toFixed(0)} s`);
}

/** Builds the images of deploy/cluster, and substitutes for images of other projects. */
function buildOthers(): void {
  importDebian();
  standIn('timescaledb', 'compose.yaml', 'database');
  standIn('haproxy', 'cluster/compose.yaml', 'proxy-1');
  for (const [folder, service] of [
    ['etcd', 'etcd-1'],
    ['patroni', 'pg-1'],
  ] as const) {
    const context = join(root, 'deploy/cluster', folder);
    runPodman('build', '--pull=never', '--network=host', `--tag=${imageOf('cluster/compose.yaml', service)}`, context);
  }
}

/** Imports Debian 13 as an image, unless this image exists. The image also gets the name of Debian's slim image. */
function importDebian(): void {
  if (!isPodmanSuccessful('image', 'exists', DEBIAN)) {
    const excluded = NOT_COPIED.map((path) => `--exclude=./${path}/*`);
    execFileSync('sh', ['-c', 'tar -C "$0" -c "$@" . | podman import - "$TAG"', DEBIAN_13_FOLDER, ...excluded], {
      env: { ...createPodmanEnvironment(), TAG: DEBIAN },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  }
  runPodman('tag', DEBIAN, DEBIAN_SLIM);
}

/** Returns the name of the image that a compose file of deploy/ uses for a service. */
function imageOf(file: string, service: string): string {
  const { services } = parse(readFileSync(join(root, 'deploy', file), 'utf8'), { merge: true });
  return services[service].image;
}

/** Builds an image with Debian's packages from a local folder, under the name that the compose file uses. */
function standIn(folder: string, file: string, service: string): void {
  const tag = `--tag=${imageOf(file, service)}`;
  runPodman(
    'build',
    '--pull=never',
    '--network=none',
    `--build-arg=DEBIAN=${DEBIAN}`,
    tag,
    join(import.meta.dirname, folder),
  );
}

/** Returns podman mounts for this machine's npm configuration, certificate authorities and cache. */
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

/** Returns the size of an image, without its base image, in MB (1,000,000 bytes). */
export function getMegabytesAboveBaseImage(tag: string): number {
  const bytes = (image: string) => Number(runPodman('image', 'inspect', '--format', '{{.Size}}', image));
  return (bytes(tag) - bytes(BASE_IMAGE)) / 1_000_000;
}
