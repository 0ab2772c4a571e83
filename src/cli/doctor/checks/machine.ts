import { isClockTooFarAhead } from '#src/core/believed-time.ts';
import { DAY_MS } from '#src/core/units.ts';
import { VERSION } from '#src/core/version.ts';
import {
  type Check,
  createOkFinding,
  createProblemFinding,
  createSkippedFinding,
  createWarningFinding,
  type Finding,
  isFactKnown,
} from '../facts.ts';

const GIB = 2 ** 30;
/** Free disk space below which the doctor warns, as a share and in bytes. */
const LOW = { share: 0.1, bytes: 2 * GIB };
const FULL_BYTES = 256 * 2 ** 20;

export const diskCheck: Check = {
  name: 'disk',
  judge({ disk: facts }) {
    if (facts === null) return createSkippedFinding('not checked: the configuration is not valid');
    if (!isFactKnown(facts))
      return createProblemFinding(
        `DATA_DIR cannot be read: ${facts.why}`,
        'Create the folder, and make the service’s user its owner.',
      );
    const { folder, freeBytes, allBytes } = facts;
    const what = `${(freeBytes / GIB).toFixed(1)} of ${(allBytes / GIB).toFixed(1)} GiB are free on the disk of ${folder}`;
    const todo =
      'Free some space, or store readings for fewer months (RETENTION_MONTHS); see docs/runbooks/EnergyDiskFull.md.';
    if (freeBytes < FULL_BYTES)
      return createProblemFinding(`only ${what}; the embedded database stops when the disk is full`, todo);
    if (freeBytes < LOW.bytes || freeBytes < allBytes * LOW.share) return createWarningFinding(`only ${what}`, todo);
    return createOkFinding(what);
  },
};

/** Number of files that a process opens in addition to the connections of devices, such as pools and pipes. */
const BESIDE = 200;
const LEAST = 1_024;

export const fileDescriptorsCheck: Check = {
  name: 'open files',
  judge({ descriptors: facts, broker, database }) {
    if (facts === null) return createSkippedFinding('this system does not report the limit');
    const { limit, ofService } = facts;
    const content = database && isFactKnown(database.server) ? database.server.content : null;
    const connected = broker?.isEmbedded && content && isFactKnown(content) ? content.devices : 0;
    const whose = ofService ? 'The service' : 'A process of this user';
    const what = `${whose} may open ${limit} files`;
    const todo = 'Raise the limit: LimitNOFILE= of the unit, ulimits of the container, or ulimit -n.';
    if (limit < connected + BESIDE)
      return createProblemFinding(
        `${what}; ${connected} devices may be connected to the embedded broker, each with one open file`,
        todo,
      );
    if (limit < LEAST) return createWarningFinding(`${what}; each connection uses one open file`, todo);
    return createOkFinding(what);
  },
};

/** Clock difference in ms above which the doctor warns. Readings more than 5 minutes in the future are rejected. */
const WARN_MS = 2_000;
const FAIL_MS = 60_000;

export const clockCheck: Check = {
  name: 'clock',
  judge({ database, nowMs }) {
    if (!database || !isFactKnown(database.server))
      return createSkippedFinding('not compared: the database does not respond');
    const { clock, content } = database.server;
    const unconfirmed = content && isFactKnown(content) ? judgeBelieved(nowMs, content.believedMs) : null;
    if (unconfirmed) return [unconfirmed];
    const { aheadMs, uncertainMs } = clock;
    const offMs = Math.max(0, Math.abs(aheadMs) - uncertainMs);
    const seconds = (Math.abs(aheadMs) / 1_000).toFixed(1);
    const what = `the database’s clock is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} this machine’s`;
    const todo = 'Synchronise the clocks of both machines by NTP (timedatectl set-ntp true; chronyc tracking).';
    if (offMs > FAIL_MS)
      return createProblemFinding(`${what}: readings would get times in the future, or in the past`, todo);
    if (offMs > WARN_MS) return createWarningFinding(what, todo);
    return createOkFinding('the clocks of the database and of this machine agree');
  },
};

const CONFIRM = 'Set the clock. If it is already right: energy doctor --confirm-clock.';

/**
 * Returns a finding if the machine's clock is so far ahead of the installation's last activity that the service ignores the clock until an
 * operator confirms it.
 */
function judgeBelieved(nowMs: number, believedMs: number | null): Finding | null {
  if (believedMs === null) return null;
  const days = Math.round(Math.abs(nowMs - believedMs) / DAY_MS);
  if (isClockTooFarAhead(nowMs, believedMs))
    return createProblemFinding(
      `this machine’s clock is ${days} days ahead of the installation’s last activity: no old data is deleted, and a restarted service uses the time of the last activity`,
      CONFIRM,
    );
  if (nowMs < believedMs - DAY_MS)
    return createProblemFinding(
      `this machine’s clock is ${days} days behind the installation’s last activity`,
      CONFIRM,
    );
  return null;
}

const OTHERS = 0o077;
const EVERYBODY = 0o007;
const OTHERS_WRITE = 0o002;
const OTHERS_READ = 0o004;

export const filePermissionsCheck: Check = {
  name: 'files',
  judge({ files: facts }) {
    if (facts === null) return createSkippedFinding('not checked: the configuration is not valid');
    const findings = facts.flatMap(({ path, what, mode, isWritable }) => {
      const rights = mode.toString(8).padStart(3, '0');
      if (what === 'secret' && (mode & OTHERS) !== 0)
        return createProblemFinding(
          `other users can read ${path} (mode ${rights})`,
          `chmod 600 ${path}. Anybody who has read it can forge signatures and decrypt secrets: consider a new key.`,
        );
      if (what === 'own key')
        return (mode & EVERYBODY) === 0
          ? []
          : createProblemFinding(
              `all users can read ${path} (mode ${rights})`,
              `chmod o-rwx ${path}, and replace the key`,
            );
      if (what === 'folder' && (mode & OTHERS_WRITE) !== 0)
        return createProblemFinding(`all users can write to ${path} (mode ${rights})`, `chmod 700 ${path}`);
      if (what !== 'secret' && !isWritable)
        return createProblemFinding(
          `this user cannot write to ${path}`,
          `Run this as the service’s user. If you did, change the owner: chown -R USER ${path}`,
        );
      if (what === 'messages' && (mode & OTHERS_READ) !== 0)
        return createWarningFinding(
          `all users can read ${path} (mode ${rights}), which contains sign-in links`,
          `chmod 700 ${path}`,
        );
      return [];
    });
    return findings.length > 0 ? findings : createOkFinding('permissions in DATA_DIR are correct');
  },
};

/** Process titles of this service. */
const OURS = /^energy |(bin\/energy(\.js)?|cli\/main\.ts)( |$)/;

export const portsCheck: Check = {
  name: 'ports',
  judge({ ports: facts, service }) {
    if (facts === null) return createSkippedFinding('not checked: the configuration is not valid');
    const findings = facts.flatMap(({ variable, port, host, state, holder, why }) => {
      const what = `${variable} ${port} on ${host}`;
      if (state === 'free') return [];
      if (state === 'unusable')
        return createProblemFinding(
          `${what} cannot be opened: ${why ?? 'unknown'}`,
          `Set ${variable} to a port above 1023, and its host to an address of this machine.`,
        );
      if (holder !== null && (holder.pid === service?.pid || OURS.test(holder.title))) return [];
      if (holder === null && service !== null) return [];
      if (holder === null)
        return createWarningFinding(
          `${what} is in use by a process that this user cannot see`,
          `Run ss -ltnp as root to see the process. Unless it is this service, end it or set ${variable}.`,
        );
      return createProblemFinding(
        `${what} is in use by process ${holder.pid} (${holder.title})`,
        `End that program, or set ${variable} to another port.`,
      );
    });
    return findings.length > 0
      ? findings
      : createOkFinding(service ? 'used by this service, or free' : 'free, or used by a role of this service');
  },
};

/** Checks whether a running service has locked the data directory. */
export const serviceCheck: Check = {
  name: 'service',
  judge({ service: running, config, database }) {
    if (!('valid' in config)) return [];
    if (running) return createOkFinding(`runs on ${config.valid.dataDir} (process ${running.pid})`);
    // Processes of a single role do not lock the data directory; the check of the ports detects them.
    if (!database?.isEmbedded) return [];
    return createWarningFinding(
      `no service runs on ${config.valid.dataDir}`,
      'Start it (npm start), or set DATA_DIR to the folder of the running service.',
    );
  },
};

export const versionCheck: Check = {
  name: 'version',
  judge({ latest }) {
    if (latest === null)
      return createOkFinding(`${VERSION}; to check for a newer version: energy doctor --releases URL`);
    if (!isFactKnown(latest))
      return createWarningFinding(
        `${VERSION}; the latest version is unknown: ${latest.why}`,
        'Check the address of --releases.',
      );
    if (!isNewer(latest.version, VERSION)) return createOkFinding(`${VERSION} is the latest version`);
    return createWarningFinding(
      `${latest.version} is newer than ${VERSION}`,
      'Read its changelog, make a copy (energy backup --to FOLDER), and install it: docs/operations.md, Updating.',
    );
  },
};

/** Whether version `a` is newer than version `b`. `2.0.0` is newer than `2.0.0-rc.1`. */
function isNewer(a: string, b: string): boolean {
  const [left, right] = [a, b].map((text) => text.split('-')[0]?.split('.').map(Number) ?? []);
  const difference = [0, 1, 2].map((part) => (left?.[part] ?? 0) - (right?.[part] ?? 0)).find((one) => one !== 0);
  return difference === undefined ? b.includes('-') && !a.includes('-') : difference > 0;
}
