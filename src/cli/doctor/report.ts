import { aggregates, database, outbox, rejected, schema, silence } from './checks/database.ts';
import { clock, descriptors, disk, files, ports, service } from './checks/machine.ts';
import { broker, certificate, configuration, mail, secretKey } from './checks/settings.ts';
import type { Check, Facts, Finding } from './facts.ts';

/** A finding with the name of its check. */
type Reported = { check: string } & Finding;

/** Runs all checks on the facts and returns their findings. Pure. */
export const judge = (facts: Facts): Reported[] =>
  CHECKS.flatMap(({ name, judge: find }) => find(facts).map((one) => ({ check: name, ...one })));

/** Replaces secrets in the findings, because another program's error message may contain one. */
export function withoutSecrets(findings: readonly Reported[], secrets: readonly string[]): Reported[] {
  // The longest first, because one secret may be part of another.
  const all = [...secrets].sort((a, b) => b.length - a.length);
  const clean = (text: string) => all.reduce((left, secret) => left.replaceAll(secret, '…'), text);
  return findings.map((one) => ({ ...one, finding: clean(one.finding), todo: one.todo && clean(one.todo) }));
}

const MARK = { ok: 'ok', warning: 'WARNING', problem: 'PROBLEM', skipped: '-' } as const;
const WIDTH = { mark: 7, check: 13 };

/** Formats findings as lines for a person. */
export function linesOf(findings: readonly Reported[]): string {
  const lines = findings.flatMap(({ check, level, finding, todo }) => {
    const head = `${MARK[level].padEnd(WIDTH.mark)}  ${check.padEnd(WIDTH.check)}  ${finding}`;
    return todo === null ? [head] : [head, `${' '.repeat(WIDTH.mark + WIDTH.check + 4)}→ ${todo}`];
  });
  return [...lines, '', summaryOf(findings)].join('\n');
}

function summaryOf(findings: readonly Reported[]): string {
  const count = (level: Finding['level']) => findings.filter((one) => one.level === level).length;
  const [problems, warnings] = [count('problem'), count('warning')];
  if (problems + warnings === 0) return 'Nothing is wrong.';
  const said = (number: number, what: string) => `${number} ${what}${number === 1 ? '' : 's'}`;
  return `${said(problems, 'problem')}, ${said(warnings, 'warning')}.`;
}

/** All checks in the order of the report: a check comes before the checks that depend on it. */
export const CHECKS: readonly Check[] = [
  configuration,
  service,
  files,
  disk,
  descriptors,
  ports,
  database,
  schema,
  clock,
  secretKey,
  certificate,
  broker,
  mail,
  silence,
  rejected,
  outbox,
  aggregates,
];
