import type { Words } from '../en.ts';

export const sessions: Words['sessions'] = {
  question: 'Wie die browser gebruikt, wordt meteen uitgelogd en moet opnieuw inloggen.',
  about: (email) =>
    `Browsers waarin ${email} is ingelogd. Herken je er een niet, beëindig die dan en trek API-sleutels in die niet van jou zijn.`,
  signedInTitle: 'Ingelogd',
  list: 'Lijst van sessies',
  browser: 'Browser',
  from: 'Ingelogd vanaf',
  signedIn: 'Inlogtijd',
  by: 'Met',
  ways: { mail: 'mail', provider: 'single sign-on' },
  lastUsed: 'Laatst gebruikt',
  ends: 'Eindigt',
  thisOne: 'deze',
  unknown: 'onbekend',
  end: 'Beëindigen',
  program: 'Een programma',
  on: (browser, system) => `${browser} op ${system}`,
  iPhone: 'een iPhone',
  iPad: 'een iPad',
  mac: 'een Mac',
  chromebook: 'een Chromebook',
};
