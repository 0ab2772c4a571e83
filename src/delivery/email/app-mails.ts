import { APP_SCOPES, isAppScope } from '#src/auth/scopes.ts';

/** Whether a mail is about an app that the home has let in. */
export const isAppMail = (type: string): boolean => type.startsWith('authorization.');

const WHY: Record<string, string> = {
  home: 'you ended it',
  revoked: 'the app ended it',
  app: 'the app was deleted',
  reuse: 'a code or token of the app was used twice, so somebody else may have had it',
  expired: 'it was valid until now',
  access: 'all access to your account ended',
};

const nameOf = (data: Record<string, unknown>): string =>
  String((data.app as { name?: unknown } | undefined)?.name ?? 'an app');

/** Describes an event about an app of a home in one sentence. Pure. */
export const describeAppMail = (type: string, data: Record<string, unknown>): string =>
  type === 'authorization.began'
    ? `You let ${nameOf(data)} into your home`
    : `${nameOf(data)} has no more access to your home`;

/** Returns the details of a mail about an app of a home as pairs of label and text. Pure. */
export function appDetails(type: string, data: Record<string, unknown>): [string, string][] {
  if (type === 'authorization.ended')
    return [
      ['Why', WHY[String(data.because)] ?? String(data.because)],
      ['What ended', 'the access, and the alerts and webhooks that the app made for your home'],
    ];
  const scopes = ((data.scopes ?? []) as string[]).filter(isAppScope);
  return [
    ...scopes.map((scope): [string, string] => ['The app can', APP_SCOPES[scope]]),
    ['Until', typeof data.expires_at === 'string' ? data.expires_at.slice(0, 10) : 'you end it'],
    ['If you do not want this', 'sign in, and end the access on the page Account'],
  ];
}
