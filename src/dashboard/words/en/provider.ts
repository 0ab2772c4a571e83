import type { SignInProblem } from '#src/api/dashboard/shapes.ts';

export const provider = {
  with: (label: string) => `Sign in with ${label}`,
  or: 'or',
  /** Why a sign-in came to nothing. */
  problems: {
    over: 'This sign-in is over, or was begun in another browser. Begin again.',
    denied: 'The sign-in was cancelled.',
    unavailable: 'The sign-in service cannot be reached now. Try again later, or have a link mailed to you.',
    failed:
      'The sign-in service did not answer as it should. Begin again; if that does not help, ask whoever runs this service.',
    many: 'Too many sign-ins from here. Try again in a minute.',
    unverified:
      'The sign-in service has not verified your e-mail address. Verify it there, or have a link mailed to you.',
    unknown: 'There is no account with your e-mail address here. Ask whoever runs this service for one.',
    domain: 'E-mail addresses like yours cannot sign in here.',
    taken: 'The account with your e-mail address belongs to somebody else’s sign-in. Ask whoever runs this service.',
    roles: 'The sign-in service did not say what you may do. Ask whoever runs this service.',
    unusable: 'The sign-in service did not say who you are. Ask whoever runs this service.',
  } as Record<SignInProblem, string>,
};
