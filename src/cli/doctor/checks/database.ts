import { VERSION } from '#src/core/version.ts';
import {
  type Check,
  type DatabaseContent,
  type Finding,
  type InstallationFacts,
  isFactKnown,
  okFinding,
  problemFinding,
  skippedFinding,
  warningFinding,
} from '../facts.ts';

/** Advice for an error, by its network error code or SQLSTATE. */
const ADVICE: Readonly<Record<string, string>> = {
  ENOTFOUND: 'There is no such host: check its name in DATABASE_URL.',
  EAI_AGAIN: 'The host cannot be looked up: check its name in DATABASE_URL, and DNS.',
  ECONNREFUSED: 'Nothing listens there: check host and port, and that PostgreSQL runs.',
  ETIMEDOUT: 'No answer: check host and port, and firewalls in between.',
  '28P01': 'The password in DATABASE_URL is wrong.',
  '28000': 'This user may not log in from here: see pg_hba.conf of the server.',
  '3D000': 'The server has no such database: create it, with this user as its owner.',
  '53300': 'The server has no connection left: end what else uses it, or raise max_connections.',
  '57P03': 'The server is starting or stopping: wait, then look at its log.',
};

export const databaseCheck: Check = {
  name: 'database',
  judge({ database: facts, service }) {
    if (facts === null) return [skippedFinding('not looked at: the configuration is not valid')];
    const { isEmbedded, shown, server } = facts;
    if (!isFactKnown(server)) {
      if (isEmbedded && service === null) return [skippedFinding('the embedded database runs with the service only')];
      const advice = isEmbedded
        ? 'Look at the log of the service, and of the database in DATA_DIR/postgres: is the disk full?'
        : (ADVICE[server.code ?? ''] ??
          'Check host, port, user, password and database of DATABASE_URL, and the server’s log.');
      return [problemFinding(`${shown} cannot be reached: ${server.why}`, advice)];
    }
    const { kind, commitRisks } = server;
    if (!isFactKnown(kind)) return [problemFinding(`${shown} cannot be used`, kind.why)];
    return [
      okFinding(`${shown} answers: ${kind.line}`),
      ...commitRisks.map((risk) => warningFinding('a failover could lose what was acknowledged', risk)),
    ];
  },
};

export const schemaCheck: Check = {
  name: 'schema',
  judge({ database }) {
    if (!database || !isFactKnown(database.server)) return [skippedFinding('not looked at: no database answers')];
    const { isMade, pending, unknown } = database.server.schema;
    if (unknown.length > 0)
      return [
        problemFinding(
          `a newer version of the service made this database: this one (${VERSION}) does not know ${unknown.join(', ')}`,
          'Run that version again, or a later one. To go back, restore the copy that was made before the upgrade.',
        ),
      ];
    if (!isMade)
      return [
        warningFinding(
          'the database has no schema yet',
          'The first start of the service makes it, or: energy migrate.',
        ),
      ];
    if (pending.length > 0)
      return [
        warningFinding(
          `${pending.length} migrations of this version are not applied: ${pending.join(', ')}`,
          'Make a copy of the database, then start this version of the service, or run: energy migrate.',
        ),
      ];
    return [okFinding(`is that of version ${VERSION}`)];
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
          warningFinding(
            `what fell due before ${heldBefore.toISOString()}, the first start after a restore, is held back`,
            'Send it: energy backup release. If the lost installation sent it: energy backup release --drop.',
          ),
        );
      if (overdueSeconds > OVERDUE_SECONDS)
        findings.push(
          problemFinding(
            `a delivery has been due for ${Math.round(overdueSeconds / 60)} minutes, and no worker takes it`,
            'Does a worker run? Its log says what it is at; docs/runbooks/EnergyOutboxStuck.md.',
          ),
        );
      if (usageChangesWaiting > MANY_CHANGES)
        findings.push(
          warningFinding(
            `alerts of ${usageChangesWaiting} changed hours are not evaluated yet`,
            'After an import or a replay wait; else docs/runbooks/EnergyAlertsLate.md.',
          ),
        );
      return findings.length > 0
        ? findings
        : [okFinding(`nothing is overdue; ${deliveriesWaiting} deliveries wait for their next try`)];
    }),
};

const WARN = 0.05;
const FAIL = 0.5;
/** Minimum number of messages for their rejected share to be meaningful. */
const FEW = 20;

export const rejectedMessagesCheck: Check = {
  name: 'rejected',
  judge: (facts) =>
    ofContent(facts, ({ lastMessages: { all, rejected: count } }) => {
      if (all < FEW) return [okFinding('too few messages to tell a share')];
      const share = count / all;
      const what = `${(100 * share).toFixed(1)} % of the last messages of each device were rejected`;
      const todo = 'energy rejected list says why; after a fix energy rejected replay brings them in.';
      if (share > FAIL) return [problemFinding(what, todo)];
      return share > WARN ? [warningFinding(what, todo)] : [okFinding(what)];
    }),
};

export const aggregatesCheck: Check = {
  name: 'aggregates',
  judge: (facts) =>
    ofContent(facts, ({ compared, lateDifferences, staleDays }) => {
      const waits = lateDifferences + staleDays;
      const waiting = `${lateDifferences} late differences and ${staleDays} days wait to be worked in`;
      if (compared !== null && compared.differing > 0) {
        const what = `${compared.differing} rows of ${compared.userId} this month are not what its load profile says`;
        return waits > 0
          ? [warningFinding(`${what}; ${waiting}`, 'Look again in a minute. If it stays: energy rollups check.')]
          : [problemFinding(what, 'energy rollups check compares all of them, energy rollups rebuild repairs.')];
      }
      if (lateDifferences > 10_000)
        return [warningFinding(waiting, 'Does a worker run? docs/runbooks/EnergyAggregatesLate.md.')];
      return [
        okFinding(
          compared === null ? waiting : `those of one account (${compared.userId}) are right this month; ${waiting}`,
        ),
      ];
    }),
};

/** Judges the content of the database, or reports why it could not be read. */
function ofContent(facts: InstallationFacts, judge: (content: DatabaseContent) => Finding[]): Finding[] {
  const server = facts.database?.server;
  if (!server || !isFactKnown(server)) return [skippedFinding('not looked at: no database answers')];
  const { content } = server;
  if (content === null) return [skippedFinding('not looked at: the schema is not that of this version')];
  return isFactKnown(content) ? judge(content) : [skippedFinding(`not looked at: ${content.why}`)];
}

/** The same share as in the alert rule EnergyDevicesSilent. */
const SILENT_SHARE = 0.3;
const FEWEST_HEARD = 10;

export const silentDevicesCheck: Check = {
  name: 'silence',
  judge: (facts) =>
    ofContent(facts, ({ devices, heardInDay, heardInHour, faulty }) => {
      if (devices === 0) return [okFinding('there are no devices yet')];
      const todo =
        'Which ones, and what do they share? energy devices list --user EMAIL; docs/runbooks/EnergyDevicesSilent.md.';
      if (heardInDay === 0) return [problemFinding(`none of ${devices} devices was heard in the last day`, todo)];
      const silent = heardInDay - heardInHour;
      const what = `${silent} of ${heardInDay} devices that were heard in the last day are silent for an hour`;
      const findings =
        heardInDay >= FEWEST_HEARD && silent / heardInDay > SILENT_SHARE
          ? [warningFinding(what, todo)]
          : [okFinding(what)];
      if (faulty > 0)
        findings.push(
          warningFinding(
            `${faulty} devices are faulty`,
            'They say so, or most of their last readings were rejected: energy rejected list says why.',
          ),
        );
      return findings;
    }),
};
