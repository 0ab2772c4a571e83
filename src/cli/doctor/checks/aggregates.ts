import { type Check, ok, problem, warning } from '../finding.ts';
import { ofContent } from './content.ts';

export const aggregates: Check = {
  name: 'aggregates',
  judge: (facts) =>
    ofContent(facts, ({ compared, lateDifferences, staleDays }) => {
      const waits = lateDifferences + staleDays;
      const waiting = `${lateDifferences} late differences and ${staleDays} days wait to be worked in`;
      if (compared !== null && compared.differing > 0) {
        const what = `${compared.differing} rows of ${compared.userId} this month are not what its load profile says`;
        return waits > 0
          ? [warning(`${what}; ${waiting}`, 'Look again in a minute. If it stays: energy rollups check.')]
          : [problem(what, 'energy rollups check compares all of them, energy rollups rebuild repairs.')];
      }
      if (lateDifferences > 10_000)
        return [warning(waiting, 'Does a worker run? docs/runbooks/EnergyAggregatesLate.md.')];
      return [
        ok(compared === null ? waiting : `those of one account (${compared.userId}) are right this month; ${waiting}`),
      ];
    }),
};
