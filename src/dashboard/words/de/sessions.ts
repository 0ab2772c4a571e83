import type { Words } from '../en.ts';

export const sessions: Words['sessions'] = {
  question: 'Wer diesen Browser benutzt, wird sofort abgemeldet und muss sich neu anmelden.',
  about: (email) =>
    `Browser, in denen ${email} angemeldet ist. Erkennen Sie einen nicht, beenden Sie ihn und widerrufen Sie API-Schlüssel, die nicht von Ihnen sind.`,
  signedInTitle: 'Angemeldet',
  list: 'Liste der Sitzungen',
  browser: 'Browser',
  from: 'Angemeldet von',
  signedIn: 'Anmeldung',
  by: 'Mit',
  ways: { mail: 'E-Mail', provider: 'Single Sign-on' },
  lastUsed: 'Zuletzt benutzt',
  ends: 'Endet',
  thisOne: 'dieser hier',
  unknown: 'unbekannt',
  end: 'Beenden',
  program: 'Ein Programm',
  on: (browser, system) => `${browser} auf ${system}`,
  iPhone: 'einem iPhone',
  iPad: 'einem iPad',
  mac: 'einem Mac',
  chromebook: 'einem Chromebook',
};
