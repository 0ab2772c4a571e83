import { isAppScope } from '#src/auth/scopes.ts';
import { type Reader, textNamed } from '../words/words.ts';

/** Whether a mail is about an app that the home has let in. */
export const isAppMail = (type: string): boolean => type.startsWith('authorization.');

/** Describes an event about an app of a home in one sentence. Pure. */
export function describeAppMail(type: string, data: Record<string, unknown>, { words: { apps: w } }: Reader): string {
  const app = String((data.app as { name?: unknown } | undefined)?.name ?? w.someApp);
  return type === 'authorization.began' ? w.began({ app }) : w.ended({ app });
}

/** Returns the details of a mail about an app of a home as pairs of label and text. Pure. */
export function appDetails(type: string, data: Record<string, unknown>, reader: Reader): [string, string][] {
  const { common, apps: w } = reader.words;
  if (type === 'authorization.ended')
    return [
      [common.why, textNamed(w.why, data.because)],
      [common.ended, w.access],
    ];
  const scopes = ((data.scopes ?? []) as string[]).filter(isAppScope);
  return [
    ...scopes.map((scope): [string, string] => [w.can, w.scopes[scope]]),
    [w.until, typeof data.expires_at === 'string' ? reader.day(data.expires_at) : w.untilEnded],
    [w.unwanted, w.unwantedText],
  ];
}
