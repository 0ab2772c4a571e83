import type { Words } from '../en.ts';

export const sessions: Words['sessions'] = {
  question: 'Wie die browser gebruikt, wordt meteen uitgelogd en moet opnieuw inloggen.',
  about: (email) =>
    `Browsers waarin ${email} is ingelogd. Herken je er een niet, beëindig die dan en trek API-sleutels in die niet van jou zijn.`,
  emailTitle: 'E-mailadres',
  emailNow: (email) => `Je account heeft het adres **${email}**.`,
  emailPending: (email) =>
    `In een mail aan **${email}** staat een link. Het adres verandert als je die binnen 7 dagen gebruikt. Geen mail? Kijk in de spammap, of stuur hem opnieuw.`,
  newEmail: 'Nieuw adres',
  newEmailHint:
    'Daar krijg je een mail met een link om het te bevestigen. Daarna eindigen alle API-sleutels en andere sessies, en worden webhooks gepauzeerd.',
  changeEmail: 'Adres wijzigen',
  sendAgain: 'Opnieuw sturen',
  withdraw: 'Intrekken',
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
