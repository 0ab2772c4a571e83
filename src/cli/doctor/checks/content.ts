import { type DatabaseContent, type Facts, isSeen } from '../facts.ts';
import { type Finding, skipped } from '../finding.ts';

/** Judges what is in the database; or says why that could not be looked at. */
export function ofContent(facts: Facts, judge: (content: DatabaseContent) => Finding[]): Finding[] {
  const server = facts.database?.server;
  if (!server || !isSeen(server)) return [skipped('not looked at: no database answers')];
  const { content } = server;
  if (content === null) return [skipped('not looked at: the schema is not that of this version')];
  return isSeen(content) ? judge(content) : [skipped(`not looked at: ${content.why}`)];
}
