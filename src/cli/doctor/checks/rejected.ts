import { type Check, ok, problem, warning } from '../finding.ts';
import { ofContent } from './content.ts';

const WARN = 0.05;
const FAIL = 0.5;
/** Of fewer a share says nothing. */
const FEW = 20;

export const rejected: Check = {
  name: 'rejected',
  judge: (facts) =>
    ofContent(facts, ({ lastMessages: { all, rejected: count } }) => {
      if (all < FEW) return [ok('too few messages to tell a share')];
      const share = count / all;
      const what = `${(100 * share).toFixed(1)} % of the last messages of each device were rejected`;
      const todo = 'energy rejected list says why; after a fix energy rejected replay brings them in.';
      if (share > FAIL) return [problem(what, todo)];
      return share > WARN ? [warning(what, todo)] : [ok(what)];
    }),
};
