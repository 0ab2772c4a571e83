import { howToRenew, judgeDates } from '#src/start/certificate.ts';
import { isSeen } from '../facts.ts';
import { type Check, type Finding, ok, problem, skipped, warning } from '../finding.ts';

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
    const renew = howToRenew(pair);
    if (!pair.keyFits)
      findings.push(
        problem(
          'key and certificate do not belong together',
          pair.renewsItself ? renew : 'Put the key of this certificate into TLS_KEY_FILE.',
        ),
      );
    const dates = judgeDates({ file, ...pair }, nowMs);
    if (dates) findings.push((dates.isRefused ? problem : warning)(dates.finding, dates.todo));
    for (const { host, of, isNamed } of pair.hosts) {
      if (!isNamed)
        findings.push(
          problem(
            `${file} does not name ${host}, the host of ${of}`,
            pair.renewsItself ? renew : `Have one made for ${host}, too, or correct ${of}.`,
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
