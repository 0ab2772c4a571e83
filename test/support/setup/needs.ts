import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EARLIER_POSTGRES_MAJOR, hasEarlierPostgres } from '../earlier-postgres.ts';
import { hasFullGitHistory, isGitCheckout } from '../earlier-release.ts';
import { hasEspiSchema, listEspiFixtures } from '../espi-schema.ts';
import { hasBaseImage } from '../images/podman.ts';
import { hasCgroups } from '../systemd.ts';
import {
  DEBIAN_13_FOLDER,
  DEBIAN_13_POSTGRESQL_BIN,
  explainMissingRabbitMq,
  findAvailableTiers,
} from '../tiers/available-tiers.ts';

/** A requirement of some tests, such as a program, that may be missing on a machine. */
export interface TestRequirement {
  /** Name of the requirement in the report of missing requirements. */
  name: string;
  /** Instructions to install the requirement. */
  how: string;
  /** Globs of the test files that need the requirement. */
  files: readonly string[];
}

interface Program {
  /** Name of a Debian package. Its program has the same name unless `program` is set. */
  name: string;
  program?: string;
  files: readonly string[];
}

/** Tests that only `npm run test:images` runs, with their requirements. */
const IMAGE_TESTS = ['test/images/*.test.ts'];
const IMAGE_PROGRAMS: readonly Program[] = [
  { name: 'podman', files: IMAGE_TESTS },
  { name: 'podman-compose', files: IMAGE_TESTS },
  { name: 'runc', files: IMAGE_TESTS },
  { name: 'netavark', program: '../lib/podman/netavark', files: IMAGE_TESTS },
  // aardvark-dns resolves service names in podman's networks.
  { name: 'aardvark-dns', program: '../lib/podman/aardvark-dns', files: IMAGE_TESTS },
  // The init of a container.
  { name: 'catatonit', files: IMAGE_TESTS },
  { name: 'iptables', files: IMAGE_TESTS },
  { name: 'iproute2', program: 'ip', files: IMAGE_TESTS },
];

/** Programs from Debian packages that tests start. If one is missing, its tests are skipped. */
export const REQUIRED_PROGRAMS: readonly Program[] = [
  {
    name: 'mosquitto',
    files: [
      'test/system/cli/doctor-broker.test.ts',
      'test/system/cluster/{moving-up,proxied-mqtt}.test.ts',
      'test/system/deploy/mosquitto.test.ts',
      'test/system/homeassistant/publish.test.ts',
      'test/system/ingest/{bridge,gateway-login,keepalive,longest-packet,names-of-a-gateway,pipeline,production-and-charging,stale-worker,standby,stop,take-publishes}.test.ts',
      'test/system/start/bad-days-mosquitto.test.ts',
    ],
  },
  { name: 'faketime', files: ['test/system/start/bad-days-clocks.test.ts'] },
  {
    name: 'openssl',
    files: ['test/system/ingest/onboarding.test.ts', 'test/system/cluster/{embedded-brokers,two-routers}.test.ts'],
  },
  // pip and its build tools.
  {
    name: 'python3-pip',
    program: 'pip3',
    files: ['test/contract/clients/*.test.ts', 'test/system/docs/*.test.ts', 'test/system/deploy/release.test.ts'],
  },
  { name: 'curl', files: ['test/system/docs/*.test.ts'] },
  { name: 'jq', files: ['test/system/docs/*.test.ts'] },
  { name: 'redis-server', files: ['test/database/api/rate-limits.test.ts'] },
  { name: 'systemd', program: 'systemd-analyze', files: ['test/system/deploy/systemd.test.ts'] },
  { name: 'prometheus', program: 'promtool', files: ['test/system/deploy/alert-rules.test.ts'] },
  { name: 'chromium-headless-shell', files: ['test/system/{dashboard,docs}/*.test.ts'] },
  ...(process.env.IMAGES ? IMAGE_PROGRAMS : []),
];

/** Whether a program is installed: on the path, or in one of Debian's folders for administration programs. */
export function isInstalled(name: string): boolean {
  if (name === 'chromium-headless-shell' && process.env.CHROMIUM) return true;
  const folders = [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/usr/bin'];
  return folders.some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Whether this process may create mount namespaces (CAP_SYS_ADMIN). */
function mayMount(): boolean {
  const CAP_SYS_ADMIN = 21n;
  const status = existsSync('/proc/self/status') ? readFileSync('/proc/self/status', 'utf8') : '';
  const effective = /^CapEff:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? '0';
  return ((BigInt(`0x${effective}`) >> CAP_SYS_ADMIN) & 1n) === 1n;
}

/** Returns why the failover of a database cannot be tested on this machine; null if it can. */
function clusterIsMissing(setup: string): string | null {
  if (process.getuid?.() !== 0 || !mayMount()) return 'run the tests as root that may mount (CAP_SYS_ADMIN), on Linux';
  return ['patroni', 'etcd'].every((name) => existsSync(join(DEBIAN_13_FOLDER, 'usr/bin', name))) ? null : setup;
}

/** Returns the missing requirements of the tests of images, except programs. */
function findMissingImages(setup: string): TestRequirement[] {
  const mayRun = process.getuid?.() === 0 && mayMount() && hasCgroups();
  const root = 'run the tests as root that may mount (CAP_SYS_ADMIN), on Linux with cgroups';
  const hasDatabase = existsSync(join(DEBIAN_13_FOLDER, DEBIAN_13_POSTGRESQL_BIN, 'postgres'));
  return mayRun && hasBaseImage() && hasDatabase
    ? []
    : [{ name: 'the base images, and cgroups for containers', how: mayRun ? setup : root, files: IMAGE_TESTS }];
}

/** Returns the requirements that are missing on this machine, judging by its files. */
export function findMissingRequirements(): TestRequirement[] {
  const setup = `npm run test:${process.env.IMAGES ? 'images' : 'setup'} (as root, on Debian)`;
  const earlier = {
    name: `PostgreSQL ${EARLIER_POSTGRES_MAJOR} of npm`,
    how: 'npm run test:setup',
    files: ['test/system/start/upgrade-database.test.ts'],
  };
  const howCluster = clusterIsMissing(setup);
  const cluster = { name: 'Patroni and etcd of Debian 13', files: ['test/system/cluster/failover.test.ts'] };
  const proxy = {
    name: 'HAProxy of Debian 13',
    how: setup,
    files: ['test/system/cluster/{rolling,proxied-mqtt,embedded-brokers,cell-routing,cell-moves,two-routers}.test.ts'],
  };
  const hasProxy = process.getuid?.() === 0 && existsSync(join(DEBIAN_13_FOLDER, 'usr/sbin/haproxy'));
  const espi = {
    name: 'the schema of Green Button',
    how: 'test/data/espi/README.md',
    files: ['test/contract/green-button-schema.test.ts'],
  };
  const fixtures = {
    name: 'the fixtures of Green Button',
    how: espi.how,
    files: ['test/contract/green-button-fixtures.test.ts'],
  };
  const history = {
    name: 'the history of the repository',
    how: 'git fetch --unshallow --tags, in a clone by git',
    files: ['test/system/start/earlier-release.test.ts'],
  };
  const checkout = {
    name: 'a clone by git',
    how: 'git clone, in place of an archive',
    files: ['test/system/deploy/release.test.ts'],
  };
  const pgBackRest = { name: 'pgBackRest of Debian 13', how: setup, files: ['test/system/deploy/pgbackrest.test.ts'] };
  const hasPgBackRest = process.getuid?.() === 0 && existsSync(join(DEBIAN_13_FOLDER, 'usr/bin/pgbackrest'));
  const rabbitMq = explainMissingRabbitMq();
  const ownRoot = {
    name: 'namespaces with mounts of their own',
    how: 'run the tests as root that may mount (CAP_SYS_ADMIN), on Linux',
    files: ['test/system/deploy/{home,systemd}.test.ts'],
  };
  const cgroups = { name: 'cgroups to write to', how: ownRoot.how, files: ['test/system/deploy/systemd.test.ts'] };
  return [
    ...(process.getuid?.() === 0 && mayMount() ? [] : [ownRoot]),
    ...(hasCgroups() ? [] : [cgroups]),
    ...(process.env.IMAGES ? findMissingImages(setup) : []),
    ...(rabbitMq === null
      ? []
      : [
          {
            name: 'RabbitMQ 4',
            how: rabbitMq === 'npm run test:setup' ? setup : rabbitMq,
            files: ['test/system/cluster/{access,amqp,moving-up}.test.ts'],
          },
        ]),
    ...(hasEarlierPostgres() ? [] : [earlier]),
    ...(hasFullGitHistory() && isInstalled('git') ? [] : [history]),
    ...(isGitCheckout() && isInstalled('git') ? [] : [checkout]),
    ...(howCluster === null ? [] : [{ ...cluster, how: howCluster }]),
    ...(hasProxy ? [] : [proxy]),
    ...(hasPgBackRest ? [] : [pgBackRest]),
    ...(hasEspiSchema() ? [] : [espi]),
    ...(listEspiFixtures().length > 0 ? [] : [fixtures]),
    ...REQUIRED_PROGRAMS.filter(({ name, program }) => !isInstalled(program ?? name)).map(({ name, files }) => ({
      name,
      how: setup,
      files,
    })),
    ...findAvailableTiers().missing.map(({ tier, how }) => ({
      name: `database tier ${tier}`,
      how: how === 'npm run test:setup' ? setup : how,
      files: ['test/tiers/**'],
    })),
  ];
}
