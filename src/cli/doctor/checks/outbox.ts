import { type Check, type Finding, ok, problem, warning } from '../finding.ts';
import { ofContent } from './content.ts';

const OVERDUE_SECONDS = 300;
const MANY_CHANGES = 10_000;

export const outbox: Check = {
  name: 'outbox',
  judge: (facts) =>
    ofContent(facts, ({ overdueSeconds, deliveriesWaiting, usageChangesWaiting }) => {
      const findings: Finding[] = [];
      if (overdueSeconds > OVERDUE_SECONDS)
        findings.push(
          problem(
            `a delivery has been due for ${Math.round(overdueSeconds / 60)} minutes, and no worker takes it`,
            'Does a worker run? Its log says what it is at; docs/runbooks/EnergyOutboxStuck.md.',
          ),
        );
      if (usageChangesWaiting > MANY_CHANGES)
        findings.push(
          warning(
            `alerts of ${usageChangesWaiting} changed hours are not evaluated yet`,
            'After an import or a replay wait; else docs/runbooks/EnergyAlertsLate.md.',
          ),
        );
      return findings.length > 0
        ? findings
        : [ok(`nothing is overdue; ${deliveriesWaiting} deliveries wait for their next try`)];
    }),
};
