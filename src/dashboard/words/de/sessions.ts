import type { Words } from '../en.ts';

export const sessions: Words['sessions'] = {
  question: 'Wer diesen Browser benutzt, wird sofort abgemeldet und muss sich neu anmelden.',
  about: (email) =>
    `Browser, in denen ${email} angemeldet ist. Erkennen Sie einen nicht, beenden Sie ihn und widerrufen Sie API-Schlüssel, die nicht von Ihnen sind.`,
  emailTitle: 'E-Mail-Adresse',
  emailNow: (email) => `Ihr Konto hat die Adresse **${email}**.`,
  emailPending: (email) =>
    `Eine E-Mail an **${email}** enthält einen Link. Die Adresse ändert sich, wenn Sie ihn innerhalb von 7 Tagen benutzen. Keine E-Mail? Sehen Sie im Spam-Ordner nach, oder senden Sie sie noch einmal.`,
  newEmail: 'Neue Adresse',
  newEmailHint:
    'Dorthin geht eine E-Mail mit einem Link zur Bestätigung. Danach enden alle API-Schlüssel und anderen Sitzungen, und Webhooks werden angehalten.',
  changeEmail: 'Adresse ändern',
  sendAgain: 'Noch einmal senden',
  withdraw: 'Zurücknehmen',
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
