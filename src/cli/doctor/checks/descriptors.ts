import { isSeen } from '../facts.ts';
import { type Check, ok, problem, skipped, warning } from '../finding.ts';

/** What a process opens beside its connections: files, pools, pipes. */
const BESIDE = 200;
const LEAST = 1_024;

export const descriptors: Check = {
  name: 'open files',
  judge({ descriptors: facts, broker, database }) {
    if (facts === null) return [skipped('this system does not tell the limit')];
    const { limit, ofService } = facts;
    const content = database && isSeen(database.server) ? database.server.content : null;
    const connected = broker?.isEmbedded && content && isSeen(content) ? content.devices : 0;
    const whose = ofService ? 'The service' : 'A process of this user';
    const what = `${whose} may open ${limit} files`;
    const todo = 'Raise it: LimitNOFILE= of the unit, ulimits of the container, or ulimit -n.';
    if (limit < connected + BESIDE)
      return [
        problem(`${what}; ${connected} devices may be connected to the embedded broker, each by one of them`, todo),
      ];
    if (limit < LEAST) return [warning(`${what}: connections are among them`, todo)];
    return [ok(what)];
  },
};
