import { VERSION } from '#src/core/version.ts';
import {
  type Check,
  createOkFinding,
  createProblemFinding,
  createSkippedFinding,
  createWarningFinding,
  type DatabaseContent,
  type Finding,
  type InstallationFacts,
  isFactKnown,
} from '../facts.ts';

/** Advice for an operator for each error of the database, by its network error code or SQLSTATE. */
const ADVICE: Readonly<Record<string, string>> = {
  ENOTFOUND: 'The host does not exist: check its name in DATABASE_URL.',
  EAI_AGAIN: 'The name lookup of the host failed: check its name in DATABASE_URL, and DNS.',
  ECONNREFUSED: 'No program listens at this address: check host and port, and that PostgreSQL runs.',
  ETIMEDOUT: 'No response: check host and port, and firewalls in between.',
  '28P01': 'The password in DATABASE_URL is wrong.',
  '28000': 'This user may not log in from here: see pg_hba.conf of the server.',
  '3D000': 'The database does not exist: create it, with this user as its owner.',
  '53300': 'All connections of the server are in use: close other connections, or raise max_connections.',
  '57P03': 'The server is starting or stopping: wait, then see its log.',
};

export const databaseCheck: Check = {
  name: 'database',
  judge({ database: facts, service }) {
    if (facts === null) return createSkippedFinding('not checked: the configuration is not valid');
    const { isEmbedded, shown, server } = facts;
    if (!isFactKnown(server)) {
      if (isEmbedded && service === null)
        return createSkippedFinding('the embedded database only runs while the service runs');
      const advice = isEmbedded
        ? 'See the log of the service, and of the database in DATA_DIR/postgres: is the disk full?'
        : (ADVICE[server.code ?? ''] ??
          'Check host, port, user, password and database of DATABASE_URL, and the server’s log.');
      return createProblemFinding(`${shown} cannot be reached: ${server.why}`, advice);
    }
    const { kind, commitRisks } = server;
    if (!isFactKnown(kind)) return createProblemFinding(`${shown} cannot be used`, kind.why);
    return [
      createOkFinding(`${shown} responds: ${kind.line}`),
      ...commitRisks.map((risk) => createWarningFinding('a failover could lose acknowledged readings', risk)),
    ];
  },
};

export const schemaCheck: Check = {
  name: 'schema',
  judge({ database }) {
    if (!database || !isFactKnown(database.server))
      return createSkippedFinding('not checked: the database does not respond');
    const { isMade, pending, unknown } = database.server.schema;
    if (unknown.length > 0)
      return createProblemFinding(
        `a newer version of the service created this database: this version (${VERSION}) lacks ${unknown.join(', ')}`,
        'Run the newer version again. To go back, restore the copy that was made before the upgrade.',
      );
    if (!isMade)
      return createWarningFinding(
        'the database has no schema yet',
        'The first start of the service creates it, or: energy migrate.',
      );
    if (pending.length > 0)
      return createWarningFinding(
        `${pending.length} migrations of this version are not applied: ${pending.join(', ')}`,
        'Make a copy of the database, then start this version of the service, or run: energy migrate.',
      );
    return createOkFinding(`current for version ${VERSION}`);
  },
};

const OVERDUE_SECONDS = 300;
const MANY_CHANGES = 10_000;

export const outboxCheck: Check = {
  name: 'outbox',
  judge: (facts) =>
    ofContent(facts, ({ overdueSeconds, deliveriesWaiting, usageChangesWaiting, heldBefore }) => {
      const findings: Finding[] = [];
      if (heldBefore !== null)
        findings.push(
          createWarningFinding(
            `notifications that were due before ${heldBefore.toISOString()}, the first start after a restore, are held back`,
            'To send them: energy backup release. If the lost installation sent them: energy backup release --drop.',
          ),
        );
      if (overdueSeconds > OVERDUE_SECONDS)
        findings.push(
          createProblemFinding(
            `a delivery has been due for ${Math.round(overdueSeconds / 60)} minutes, and no worker has sent it`,
            'Does a worker run? Its log shows its current job; docs/runbooks/EnergyOutboxStuck.md.',
          ),
        );
      if (usageChangesWaiting > MANY_CHANGES)
        findings.push(
          createWarningFinding(
            `${usageChangesWaiting} changed hours have not been checked for alerts yet`,
            'Wait if an import or a replay has just run; otherwise docs/runbooks/EnergyAlertsLate.md.',
          ),
        );
      return findings.length > 0
        ? findings
        : createOkFinding(`no delivery is overdue; ${deliveriesWaiting} wait for their next attempt`);
    }),
};

const WARN = 0.05;
const FAIL = 0.5;
/** With fewer messages than this, the share of rejected messages is not meaningful. */
const FEW = 20;

export const rejectedMessagesCheck: Check = {
  name: 'rejected',
  judge: (facts) =>
    ofContent(facts, ({ lastMessages: { all, rejected: count } }) => {
      if (all < FEW) return createOkFinding('too few messages to compute a share');
      const share = count / all;
      const what = `${(100 * share).toFixed(1)} % of each device’s latest messages were rejected`;
      const todo =
        'energy rejected list shows the reasons; after a fix, energy rejected replay processes the messages again.';
      if (share > FAIL) return createProblemFinding(what, todo);
      return share > WARN ? createWarningFinding(what, todo) : createOkFinding(what);
    }),
};

export const aggregatesCheck: Check = {
  name: 'aggregates',
  judge: (facts) =>
    ofContent(facts, ({ compared, lateDifferences, staleDays }) => {
      const waits = lateDifferences + staleDays;
      const waiting = `${lateDifferences} late differences and ${staleDays} days have not been recomputed yet`;
      if (compared !== null && compared.differing > 0) {
        const what = `${compared.differing} rows of ${compared.userId} this month differ from the load profile`;
        return waits > 0
          ? createWarningFinding(
              `${what}; ${waiting}`,
              'Check again in a minute. If the difference remains: energy rollups check.',
            )
          : createProblemFinding(what, 'energy rollups check compares all rows, energy rollups rebuild repairs them.');
      }
      if (lateDifferences > 10_000)
        return createWarningFinding(waiting, 'Does a worker run? docs/runbooks/EnergyAggregatesLate.md.');
      return createOkFinding(
        compared === null
          ? waiting
          : `the aggregates of one account (${compared.userId}) are right this month; ${waiting}`,
      );
    }),
};

/** Returns the findings of `judge` about the content of the database, or a finding that states why it could not be read. */
function ofContent(
  facts: InstallationFacts,
  judge: (content: DatabaseContent) => Finding | Finding[],
): Finding | Finding[] {
  const server = facts.database?.server;
  if (!server || !isFactKnown(server)) return createSkippedFinding('not checked: the database does not respond');
  const { content } = server;
  if (content === null) return createSkippedFinding('not checked: the schema does not match this version');
  return isFactKnown(content) ? judge(content) : createSkippedFinding(`not checked: ${content.why}`);
}

/** Share of silent devices above which the doctor warns. The alert rule EnergyDevicesSilent uses the same share. */
const SILENT_SHARE = 0.3;
const MIN_REPORTING_DEVICES = 10;

export const silentDevicesCheck: Check = {
  name: 'silence',
  judge: (facts) =>
    ofContent(facts, ({ devices, heardInDay, heardInHour, faulty }) => {
      if (devices === 0) return createOkFinding('no devices yet');
      const todo =
        'What do the silent devices share? energy devices list --user EMAIL; docs/runbooks/EnergyDevicesSilent.md.';
      if (heardInDay === 0)
        return createProblemFinding(`none of ${devices} devices has sent a message in the last day`, todo);
      const silent = heardInDay - heardInHour;
      const what = `${silent} of ${heardInDay} devices that sent a message in the last day have been silent for an hour`;
      const areMany = heardInDay >= MIN_REPORTING_DEVICES && silent / heardInDay > SILENT_SHARE;
      const findings = [areMany ? createWarningFinding(what, todo) : createOkFinding(what)];
      if (faulty > 0)
        findings.push(
          createWarningFinding(
            `${faulty} devices are faulty`,
            'They report a fault, or most of their last readings were rejected: energy rejected list shows the reasons.',
          ),
        );
      return findings;
    }),
};
