import { type Check, ok, problem, skipped, warning } from '../finding.ts';

const WHAT_TO_DO =
  'Put the key back from a backup, or set SECRET_KEY to what it said. If it is lost for good: energy secrets forget.';

export const secretKey: Check = {
  name: 'secret key',
  judge({ secretKey: facts }) {
    if (facts === null) return [skipped('not looked at: the configuration is not valid')];
    const { from, isThere, sealed } = facts;
    if (sealed === null)
      return isThere
        ? [skipped(`${from} is there; not tried: no database answers`)]
        : [skipped('there is none yet: the first start makes it')];
    if (sealed.looked === 0)
      return [
        ok(
          isThere
            ? `${from} is there; the database has nothing sealed yet`
            : 'there is none yet: the first start makes it',
        ),
      ];
    if (!isThere) return [problem(`${from} is missing, and the database has secrets that only it opens`, WHAT_TO_DO)];
    if (sealed.opened === 0)
      return [
        problem(`${from} does not open what the database has sealed: it was sealed with another one`, WHAT_TO_DO),
      ];
    if (sealed.opened < sealed.looked)
      return [
        warning(
          `${from} opens ${sealed.opened} of ${sealed.looked} sealed values: the others were sealed with another one`,
          'Each webhook that fails to sign needs a new auth_token (energy webhooks update). Do all machines have the same SECRET_KEY?',
        ),
      ];
    return [ok(`${from} opens what the database has sealed`)];
  },
};
