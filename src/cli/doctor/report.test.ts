import { describe, expect, test } from 'vitest';
import type { BackupState } from '#src/backup/state.ts';
import { loadConfig } from '#src/config/load.ts';
import { VERSION } from '#src/core/version.ts';
import { DATABASE_TIERS } from '#src/database/capabilities.ts';
import type {
  CertificatePair,
  DatabaseContent,
  DatabaseServer,
  FileFacts,
  FindingLevel,
  InstallationFacts,
} from './facts.ts';
import { CHECKS, formatFindings, redactSecrets, runChecks } from './report.ts';

const DAY_MS = 86_400_000;
const NOW_MS = Date.parse('2026-11-23T08:00:00Z');
const GIB = 2 ** 30;

const CONTENT: DatabaseContent = {
  believedMs: NOW_MS - 5_000,
  devices: 100,
  heardInDay: 90,
  heardInHour: 85,
  faulty: 0,
  lastMessages: { all: 1_800, rejected: 4 },
  overdueSeconds: 2,
  deliveriesWaiting: 5,
  heldBefore: null,
  usageChangesWaiting: 10,
  lateDifferences: 3,
  staleDays: 0,
  compared: { userId: 'usr_1', differing: 0 },
};
const SERVER: DatabaseServer = {
  kind: { line: 'PostgreSQL 18', capabilities: DATABASE_TIERS.plain },
  clock: { aheadMs: 40, uncertainMs: 20 },
  schema: { isMade: true, pending: [], unknown: [] },
  commitRisks: [],
  content: CONTENT,
};
const PAIR: CertificatePair = {
  validFromMs: NOW_MS - DAY_MS,
  validToMs: NOW_MS + 300 * DAY_MS,
  renewsItself: false,
  keyFits: true,
  hosts: [{ host: 'energy.example', of: 'PUBLIC_URL', isNamed: true }],
};
const config = (env: Record<string, string> = {}) => ({
  valid: loadConfig({ PUBLIC_URL: 'https://energy.example', SMTP_URL: 'smtp://mail.example', ...env }),
});
/** Facts about an installation without problems. */
const WELL: InstallationFacts = {
  nowMs: NOW_MS,
  config: config(),
  service: { pid: 7 },
  database: { isEmbedded: true, shown: 'the embedded database in data', server: SERVER },
  disk: { folder: 'data', freeBytes: 50 * GIB, allBytes: 100 * GIB },
  broker: { shown: '127.0.0.1:1883', isEmbedded: true, reached: { reached: true } },
  certificate: { file: 'cert.pem', isOurs: false, pair: PAIR },
  mail: { reached: true },
  secretKey: { from: 'secret.key', isThere: true, sealed: { looked: 4, opened: 4 } },
  backup: {
    target: '/mnt/disk',
    isArchiving: true,
    isSealed: true,
    copy: {
      last: { folder: 'f', at: '2026-11-23T00:37:10Z', packed_bytes: 1, bytes: 2 },
      error: null,
      mailed_given_up_at: null,
    },
    archive: { last: null, error: null },
    givenUpAt: null,
    waitingBytes: 0,
  },
  ports: [{ variable: 'API_PORT', port: 8443, host: '127.0.0.1', state: 'free', holder: null }],
  files: [{ path: 'data/secret.key', what: 'secret', mode: 0o600, isWritable: true }],
  descriptors: { limit: 1_048_576, ofService: true },
  latest: { version: VERSION },
};
const server = (change: Partial<DatabaseServer>): Partial<InstallationFacts> => ({
  database: { isEmbedded: false, shown: 'postgres://db', server: { ...SERVER, ...change } },
});
const content = (change: Partial<DatabaseContent>) => server({ content: { ...CONTENT, ...change } });
const pair = (change: Partial<CertificatePair>, isOurs = false): Partial<InstallationFacts> => ({
  certificate: { file: 'cert.pem', isOurs, pair: { ...PAIR, renewsItself: isOurs, ...change } },
});
const away = (why: string, code?: string) => (code === undefined ? { why } : { why, code });
const database = (isEmbedded: boolean, why: string, code?: string): Partial<InstallationFacts> => ({
  database: { isEmbedded, shown: 'postgres://db', server: away(why, code) },
});
const mqtt = (isEmbedded: boolean, why: string): Partial<InstallationFacts> => ({
  broker: { shown: 'mqtt://broker', isEmbedded, reached: away(why) },
});
const port = (change: object): Partial<InstallationFacts> => ({
  ports: [{ variable: 'API_PORT', port: 443, host: '0.0.0.0', state: 'taken', holder: null, ...change }],
});
const backup = (change: Partial<BackupState>): Partial<InstallationFacts> => ({
  backup: { ...(WELL.backup as BackupState), ...change },
});
const file = (what: FileFacts['what'], mode: number, isWritable = true): Partial<InstallationFacts> => ({
  files: [{ path: 'data/x', what, mode, isWritable }],
});

/**
 * Test cases: name, facts that differ from an installation without problems, check that detects them, level of its finding, and a pattern
 * for the finding and the remedy.
 */
const CASES: [string, Partial<InstallationFacts>, string, FindingLevel, RegExp][] = [
  [
    'a misspelt variable',
    { config: { mistakes: ['API_PORT: must be a number'] } },
    'configuration',
    'problem',
    /API_PORT.*docs\/configuration\.md/,
  ],
  [
    'links to localhost from outside',
    { config: config({ PUBLIC_URL: 'https://localhost:8443', API_HOST: '0.0.0.0' }) },
    'configuration',
    'warning',
    /PUBLIC_URL/,
  ],
  ['MQTT in the open', { config: config({ MQTT_HOST: '0.0.0.0' }) }, 'configuration', 'warning', /MQTT_HOST/],
  ['callbacks inside', { config: config({ WEBHOOK_ALLOW_PRIVATE: 'true' }) }, 'configuration', 'warning', /Unset it/],
  ['mails that nobody gets', { config: config({ SMTP_URL: '' }) }, 'configuration', 'warning', /sign-in/],
  [
    'an archive that was given up',
    backup({ givenUpAt: '2026-11-23T05:00:00.000Z' }),
    'back-ups',
    'problem',
    /ended at 2026-11-23T05.*energy backup --to/,
  ],
  [
    'an archive that cannot be written',
    backup({ archive: { last: null, error: 'no space' } }),
    'back-ups',
    'problem',
    /not archived: no space.*mounted/,
  ],
  ['a newer version', { latest: { version: '99.0.0' } }, 'version', 'warning', /^99\.0\.0 is newer.*backup --to/],
  [
    'an unknown latest version',
    { latest: away('getaddrinfo ENOTFOUND') },
    'version',
    'warning',
    /ENOTFOUND.*--releases/,
  ],
  [
    'WAL that waits',
    backup({ waitingBytes: 2 * GIB }),
    'back-ups',
    'warning',
    /2048 MiB of WAL have not been archived/,
  ],
  [
    'copies that fail',
    backup({ copy: { last: null, error: 'twice the database', mailed_given_up_at: null } }),
    'back-ups',
    'warning',
    /twice the database.*energy backup --to/,
  ],
  [
    'copies that stopped',
    backup({
      copy: {
        last: { folder: 'f', at: '2026-11-20T00:00:00Z', packed_bytes: 1, bytes: 1 },
        error: null,
        mailed_given_up_at: null,
      },
    }),
    'back-ups',
    'warning',
    /made at 2026-11-20/,
  ],
  ['an unusable key file', { backup: away('K is not a key file') }, 'back-ups', 'problem', /BACKUP_KEY_FILE/],
  ['no service', { service: null }, 'service', 'warning', /npm start/],
  [
    'a wrong password',
    database(false, 'password authentication failed', '28P01'),
    'database',
    'problem',
    /password in DATABASE_URL/,
  ],
  [
    'nobody at the port',
    database(false, 'connect ECONNREFUSED', 'ECONNREFUSED'),
    'database',
    'problem',
    /No program listens/,
  ],
  ['an embedded one that died', database(true, 'does not run'), 'database', 'problem', /log of the service/],
  [
    'an old server',
    server({ kind: { why: 'This server is PostgreSQL 12; the service needs 15 or newer.' } }),
    'database',
    'problem',
    /15 or newer/,
  ],
  [
    'a failover that loses',
    server({ commitRisks: ['set synchronous_mode'] }),
    'database',
    'warning',
    /synchronous_mode/,
  ],
  [
    'a newer schema',
    server({ schema: { isMade: true, pending: [], unknown: ['schema/0099_x.sql'] } }),
    'schema',
    'problem',
    /0099_x/,
  ],
  [
    'pending migrations',
    server({ schema: { isMade: true, pending: ['schema/0040_x.sql'], unknown: [] } }),
    'schema',
    'warning',
    /energy migrate/,
  ],
  [
    'an empty database',
    server({ schema: { isMade: false, pending: ['a'], unknown: [] } }),
    'schema',
    'warning',
    /first start/i,
  ],
  [
    'a clock a little off',
    server({ clock: { aheadMs: -4_000, uncertainMs: 5 } }),
    'clock',
    'warning',
    /4\.0 s behind.*NTP/,
  ],
  [
    'a clock 14 months ahead',
    content({ believedMs: NOW_MS - 430 * DAY_MS }),
    'clock',
    'problem',
    /430 days ahead.*confirm-clock/,
  ],
  [
    'a clock set back by days',
    content({ believedMs: NOW_MS + 3 * DAY_MS }),
    'clock',
    'problem',
    /3 days behind.*confirm-clock/,
  ],
  ['a clock far off', server({ clock: { aheadMs: 400_000, uncertainMs: 5 } }), 'clock', 'problem', /ahead/],
  [
    'a disk nearly full',
    { disk: { folder: 'data', freeBytes: 9 * GIB, allBytes: 100 * GIB } },
    'disk',
    'warning',
    /RETENTION_MONTHS/,
  ],
  [
    'a small disk nearly full',
    { disk: { folder: 'data', freeBytes: GIB, allBytes: 4 * GIB } },
    'disk',
    'warning',
    /1\.0 of 4\.0/,
  ],
  ['a full disk', { disk: { folder: 'data', freeBytes: 0, allBytes: 100 * GIB } }, 'disk', 'problem', /stops/],
  ['no disk', { disk: away('EACCES') }, 'disk', 'problem', /EACCES/],
  [
    'a broker that refuses',
    mqtt(false, 'Connection refused: Not authorized'),
    'broker',
    'problem',
    /user and password/,
  ],
  ['a broker that is away', mqtt(false, 'connect ECONNREFUSED 10.0.0.1:1883'), 'broker', 'problem', /host and port/],
  [
    'a broker of another name',
    mqtt(false, 'unable to verify the first certificate'),
    'broker',
    'problem',
    /NODE_EXTRA_CA_CERTS/,
  ],
  [
    'an embedded broker that is away',
    mqtt(true, 'connect ECONNREFUSED'),
    'broker',
    'problem',
    /log of the ingest process/,
  ],
  [
    'an ended certificate',
    pair({ validToMs: NOW_MS - DAY_MS }),
    'certificate',
    'problem',
    /ended on 2026-11-22.*Renew/,
  ],
  ['one that ends', pair({ validToMs: NOW_MS + 3 * DAY_MS }), 'certificate', 'warning', /in 3 days/],
  ['one of ours that ends', pair({ validToMs: NOW_MS + 3 * DAY_MS }, true), 'certificate', 'warning', /automatically/],
  [
    'one in DATA_DIR that somebody else made and that ends',
    { certificate: { file: 'cert.pem', isOurs: true, pair: { ...PAIR, validToMs: NOW_MS + 3 * DAY_MS } } },
    'certificate',
    'warning',
    /at its source/,
  ],
  ['one of tomorrow', pair({ validFromMs: NOW_MS + DAY_MS }), 'certificate', 'problem', /not valid before/],
  ['another key', pair({ keyFits: false }), 'certificate', 'problem', /TLS_KEY_FILE/],
  [
    'another name',
    pair({ hosts: [{ host: 'a.example', of: 'PUBLIC_URL', isNamed: false }] }),
    'certificate',
    'problem',
    /not valid for a\.example/,
  ],
  [
    'no certificate',
    { certificate: { file: 'cert.pem', isOurs: false, pair: away('ENOENT') } },
    'certificate',
    'problem',
    /TLS_CERT_FILE/,
  ],
  ['a mail server that refuses', { mail: away('Invalid login: 535 no') }, 'mail', 'problem', /user and password/],
  ['a mail server that is away', { mail: away('connect ETIMEDOUT') }, 'mail', 'problem', /host and port/],
  [
    'a lost secret',
    { secretKey: { from: 'f', isThere: false, sealed: { looked: 1, opened: 0 } } },
    'secret key',
    'problem',
    /secrets forget/,
  ],
  [
    'another secret',
    { secretKey: { from: 'f', isThere: true, sealed: { looked: 3, opened: 0 } } },
    'secret key',
    'problem',
    /wrong key/,
  ],
  [
    'two secrets',
    { secretKey: { from: 'f', isThere: true, sealed: { looked: 3, opened: 2 } } },
    'secret key',
    'warning',
    /2 of 3/,
  ],
  ['a third silent', content({ heardInHour: 50 }), 'silence', 'warning', /40 of 90/],
  ['all silent', content({ heardInDay: 0, heardInHour: 0 }), 'silence', 'problem', /none of 100/],
  ['faulty ones', content({ faulty: 2 }), 'silence', 'warning', /2 devices are faulty/],
  [
    'some rejected',
    content({ lastMessages: { all: 1_000, rejected: 100 } }),
    'rejected',
    'warning',
    /10\.0 %.*energy rejected list/,
  ],
  ['most rejected', content({ lastMessages: { all: 1_000, rejected: 900 } }), 'rejected', 'problem', /90\.0 %/],
  ['a stuck outbox', content({ overdueSeconds: 3_600 }), 'outbox', 'problem', /60 minutes/],
  ['late alerts', content({ usageChangesWaiting: 20_000 }), 'outbox', 'warning', /not been checked for alerts/],
  [
    'wrong aggregates',
    content({ compared: { userId: 'u', differing: 3 }, lateDifferences: 0 }),
    'aggregates',
    'problem',
    /rollups check/,
  ],
  [
    'aggregates on their way',
    content({ compared: { userId: 'u', differing: 3 } }),
    'aggregates',
    'warning',
    /again in a minute/,
  ],
  ['late aggregates', content({ lateDifferences: 50_000 }), 'aggregates', 'warning', /worker/],
  [
    'a port of another program',
    port({ holder: { pid: 3, title: 'nginx: master' } }),
    'ports',
    'problem',
    /process 3 \(nginx: master\)/,
  ],
  ['a port below 1024', port({ state: 'unusable', why: 'listen EACCES' }), 'ports', 'problem', /above 1023/],
  ['a port of nobody known', { ...port({}), service: null }, 'ports', 'warning', /ss -ltnp/],
  ['a secret for all', file('secret', 0o644), 'files', 'problem', /chmod 600/],
  ['a key of one’s own for all', file('own key', 0o644), 'files', 'problem', /chmod o-rwx/],
  ['a folder for all', file('folder', 0o777), 'files', 'problem', /chmod 700/],
  ['a folder of another', file('folder', 0o755, false), 'files', 'problem', /chown/],
  ['mails for all', file('messages', 0o755), 'files', 'warning', /sign-in links/],
  ['few open files', { descriptors: { limit: 256, ofService: false } }, 'open files', 'problem', /100 devices/],
  [
    'few open files, no devices',
    { ...content({ devices: 0 }), descriptors: { limit: 512, ofService: false } },
    'open files',
    'warning',
    /ulimit/,
  ],
];

describe('the doctor', () => {
  test('finds no problems in a healthy installation', () => {
    const findings = runChecks(WELL);
    expect(findings.filter(({ level }) => level !== 'ok')).toEqual([]);
    expect(new Set(findings.map(({ check }) => check))).toEqual(new Set(CHECKS.map(({ name }) => name)));
    expect(formatFindings(findings)).toMatch(/No problems found\.$/);
  });

  test.each(CASES)('%s', (_, change, check, level, words) => {
    const found = runChecks({ ...WELL, ...change }).filter((one) => one.check === check && one.level === level);
    expect(found.map(({ finding, todo }) => `${finding} ${todo}`).join('\n')).toMatch(words);
    for (const { todo } of found) expect(todo).toMatch(/\S/);
  });

  test.each(['0.0.1', `${VERSION}-rc.1`, VERSION])('reports no update for the version %s', (version) => {
    const found = runChecks({ ...WELL, latest: { version } }).filter(({ check }) => check === 'version');
    expect(found.map(({ level }) => level)).toEqual(['ok']);
  });

  test('a test case exists for each finding of each check', () => {
    const without = CHECKS.map(({ name }) => name).filter((name) => !CASES.some(([, , check]) => check === name));
    expect(without).toEqual([]);
  });

  test('skips the checks that need the database if it is unreachable, and reports no problem for them', () => {
    const findings = runChecks({ ...WELL, ...database(false, 'connect ETIMEDOUT', 'ETIMEDOUT') });
    expect(findings.filter(({ level }) => level === 'problem').map(({ check }) => check)).toEqual(['database']);
    expect(findings.filter(({ level }) => level === 'skipped').map(({ check }) => check)).toEqual([
      'schema',
      'clock',
      'silence',
      'rejected',
      'outbox',
      'aggregates',
    ]);
  });

  test('reports no problem for a service that has never started', () => {
    const fresh: InstallationFacts = {
      ...WELL,
      ...database(true, 'does not run'),
      service: null,
      broker: { shown: '127.0.0.1:1883', isEmbedded: true, reached: away('ECONNREFUSED') },
      certificate: { file: 'cert.pem', isOurs: true, pair: null },
      secretKey: { from: 'f', isThere: false, sealed: null },
      files: [],
    };
    expect(runChecks(fresh).filter(({ level }) => level === 'problem')).toEqual([]);
  });

  test("reports no problem for ports held by the service's roles or its supervisor", () => {
    for (const title of [
      'energy api',
      'node /opt/x/bin/energy.js start',
      '/usr/bin/node --flag /opt/x/src/cli/main.ts demo',
    ])
      expect(
        runChecks({ ...WELL, ...port({ holder: { pid: 9, title } }) }).filter(({ level }) => level !== 'ok'),
      ).toEqual([]);
    const other = runChecks({ ...WELL, ...port({ holder: { pid: 9, title: 'node /opt/energy-tracker.js' } }) });
    expect(other.filter(({ level }) => level === 'problem')).toHaveLength(1);
  });

  test("prints no secret, even if another program's error contains one", () => {
    const findings = runChecks({ ...WELL, ...mqtt(false, 'bad user a:hunter22 at hunter2') });
    const text = JSON.stringify(redactSecrets(findings, ['hunter2', 'hunter22']));
    expect(text).toContain('bad user a:… at …');
    expect(text).not.toContain('hunter');
  });
});
