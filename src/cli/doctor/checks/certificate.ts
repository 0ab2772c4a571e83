import { DAY_MS } from '#src/core/units.ts';
import { isSeen } from '../facts.ts';
import { type Check, type Finding, ok, problem, skipped, warning } from '../finding.ts';

const SOON_DAYS = 14;

export const certificate: Check = {
  name: 'certificate',
  judge({ certificate: facts, nowMs }) {
    if (facts === null) return [skipped('not looked at: the configuration is not valid')];
    const { file, isOurs, pair } = facts;
    if (pair === null) return [skipped('there is none yet: the first start makes it')];
    if (!isSeen(pair))
      return [
        problem(
          `${file} cannot be used: ${pair.why}`,
          isOurs
            ? 'Remove it: the service makes it anew. Devices that trust a copy need the new one.'
            : 'Check TLS_CERT_FILE and TLS_KEY_FILE, and that the user of the service may read both.',
        ),
      ];
    const findings: Finding[] = [];
    const renew = isOurs
      ? 'The service makes it anew by itself while it runs; is DATA_DIR/tls writable for it?'
      : 'Renew it where it comes from, into the same files: it is taken within 10 s, without a restart.';
    const days = Math.floor((pair.validToMs - nowMs) / DAY_MS);
    if (!pair.keyFits)
      findings.push(
        problem(
          'key and certificate do not belong together',
          isOurs ? renew : 'Put the key of this certificate into TLS_KEY_FILE.',
        ),
      );
    if (pair.validFromMs > nowMs)
      findings.push(
        problem(`${file} is not valid before ${day(pair.validFromMs)}`, 'Check the clock of this machine.'),
      );
    if (pair.validToMs <= nowMs)
      findings.push(problem(`${file} ended on ${day(pair.validToMs)}: browsers and devices refuse it`, renew));
    else if (days < SOON_DAYS) findings.push(warning(`${file} ends on ${day(pair.validToMs)}, in ${days} days`, renew));
    for (const { host, of, isNamed } of pair.hosts) {
      if (!isNamed)
        findings.push(
          problem(
            `${file} does not name ${host}, the host of ${of}`,
            isOurs ? renew : `Have one made for ${host}, too, or correct ${of}.`,
          ),
        );
    }
    return findings.length > 0
      ? findings
      : [
          ok(
            `names ${[...new Set(pair.hosts.map(({ host }) => host))].join(' and ')}, and holds until ${day(pair.validToMs)}`,
          ),
        ];
  },
};

const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
