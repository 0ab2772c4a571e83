import { isSeen } from '../facts.ts';
import { type Check, ok, problem, skipped, warning } from '../finding.ts';

/** What to do about it, by the code of what went wrong: of the network's, or SQLSTATE. */
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

export const database: Check = {
  name: 'database',
  judge({ database: facts, service }) {
    if (facts === null) return [skipped('not looked at: the configuration is not valid')];
    const { isEmbedded, shown, server } = facts;
    if (!isSeen(server)) {
      if (isEmbedded && service === null) return [skipped('the embedded database runs with the service only')];
      const advice = isEmbedded
        ? 'Look at the log of the service, and of the database in DATA_DIR/postgres: is the disk full?'
        : (ADVICE[server.code ?? ''] ??
          'Check host, port, user, password and database of DATABASE_URL, and the server’s log.');
      return [problem(`${shown} cannot be reached: ${server.why}`, advice)];
    }
    const { kind, commitRisks } = server;
    if (!isSeen(kind)) return [problem(`${shown} cannot be used`, kind.why)];
    return [
      ok(`${shown} answers: ${kind.line}`),
      ...commitRisks.map((risk) => warning('a failover could lose what was acknowledged', risk)),
    ];
  },
};
