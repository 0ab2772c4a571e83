import { backupCheck } from './checks/backup.ts';
import {
  aggregatesCheck,
  databaseCheck,
  outboxCheck,
  rejectedMessagesCheck,
  schemaCheck,
  silentDevicesCheck,
} from './checks/database.ts';
import {
  clockCheck,
  diskCheck,
  fileDescriptorsCheck,
  filePermissionsCheck,
  portsCheck,
  serviceCheck,
  versionCheck,
} from './checks/machine.ts';
import { brokerCheck, certificateCheck, configurationCheck, mailCheck, secretKeyCheck } from './checks/settings.ts';
import type { Check, Finding, InstallationFacts } from './facts.ts';

type Reported = { check: string } & Finding;

/** Runs all checks and returns their findings about the facts. */
export const runChecks = (facts: InstallationFacts): Reported[] =>
  CHECKS.flatMap(({ name, judge }) => [judge(facts)].flat().map((one) => ({ check: name, ...one })));

/** Replaces secrets in the findings, because an error message may contain one. */
export function redactSecrets(findings: readonly Reported[], secrets: readonly string[]): Reported[] {
  // Longer secrets come first, because a secret may be part of a longer one.
  const all = [...secrets].sort((a, b) => b.length - a.length);
  const clean = (text: string) => all.reduce((left, secret) => left.replaceAll(secret, '…'), text);
  return findings.map((one) => ({ ...one, finding: clean(one.finding), todo: one.todo && clean(one.todo) }));
}

const MARK = { ok: 'ok', warning: 'WARNING', problem: 'PROBLEM', skipped: '-' } as const;
const WIDTH = { mark: 7, check: 13 };

export function formatFindings(findings: readonly Reported[]): string {
  const lines = findings.flatMap(({ check, level, finding, todo }) => {
    const head = `${MARK[level].padEnd(WIDTH.mark)}  ${check.padEnd(WIDTH.check)}  ${finding}`;
    return todo === null ? [head] : [head, `${' '.repeat(WIDTH.mark + WIDTH.check + 4)}→ ${todo}`];
  });
  return [...lines, '', summaryOf(findings)].join('\n');
}

function summaryOf(findings: readonly Reported[]): string {
  const count = (level: Finding['level']) => findings.filter((one) => one.level === level).length;
  const [problems, warnings] = [count('problem'), count('warning')];
  if (problems + warnings === 0) return 'No problems found.';
  const countOf = (number: number, what: string) => `${number} ${what}${number === 1 ? '' : 's'}`;
  return `${countOf(problems, 'problem')}, ${countOf(warnings, 'warning')}.`;
}

/** All checks in the order of the report. A check comes after the checks on which it depends. */
export const CHECKS: readonly Check[] = [
  configurationCheck,
  serviceCheck,
  filePermissionsCheck,
  diskCheck,
  fileDescriptorsCheck,
  portsCheck,
  databaseCheck,
  schemaCheck,
  clockCheck,
  secretKeyCheck,
  certificateCheck,
  brokerCheck,
  mailCheck,
  silentDevicesCheck,
  rejectedMessagesCheck,
  outboxCheck,
  aggregatesCheck,
  backupCheck,
  versionCheck,
];
