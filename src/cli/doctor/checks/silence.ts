import { type Check, ok, problem, warning } from '../finding.ts';
import { ofContent } from './content.ts';

/** As the alert rule EnergyDevicesSilent. */
const SHARE = 0.3;
const FEW = 10;

export const silence: Check = {
  name: 'silence',
  judge: (facts) =>
    ofContent(facts, ({ devices, heardInDay, heardInHour, faulty }) => {
      if (devices === 0) return [ok('there are no devices yet')];
      const todo =
        'Which ones, and what do they share? energy devices list --user EMAIL; docs/runbooks/EnergyDevicesSilent.md.';
      if (heardInDay === 0) return [problem(`none of ${devices} devices was heard in the last day`, todo)];
      const silent = heardInDay - heardInHour;
      const what = `${silent} of ${heardInDay} devices that were heard in the last day are silent for an hour`;
      const findings = heardInDay >= FEW && silent / heardInDay > SHARE ? [warning(what, todo)] : [ok(what)];
      if (faulty > 0)
        findings.push(
          warning(
            `${faulty} devices are faulty`,
            'They say so, or most of their last readings were rejected: energy rejected list says why.',
          ),
        );
      return findings;
    }),
};
