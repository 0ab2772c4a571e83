import type { Words } from '../en.ts';

export const provider: Words['provider'] = {
  with: (label) => `Mit ${label} anmelden`,
  or: 'oder',
  problems: {
    over: 'Diese Anmeldung ist abgelaufen oder wurde in einem anderen Browser begonnen. Beginnen Sie noch einmal.',
    denied: 'Die Anmeldung wurde abgebrochen.',
    unavailable:
      'Der Anmeldedienst ist gerade nicht erreichbar. Versuchen Sie es später noch einmal oder lassen Sie sich einen Link mailen.',
    failed:
      'Der Anmeldedienst hat nicht wie erwartet geantwortet. Beginnen Sie noch einmal; hilft das nicht, fragen Sie den Betreiber dieses Dienstes.',
    many: 'Zu viele Anmeldungen von hier. Versuchen Sie es in einer Minute noch einmal.',
    unverified:
      'Der Anmeldedienst hat Ihre E-Mail-Adresse nicht bestätigt. Bestätigen Sie sie dort oder lassen Sie sich einen Link mailen.',
    unknown: 'Zu Ihrer E-Mail-Adresse gibt es hier kein Konto. Bitten Sie den Betreiber dieses Dienstes um eines.',
    domain: 'Mit einer E-Mail-Adresse wie Ihrer kann man sich hier nicht anmelden.',
    taken:
      'Das Konto zu Ihrer E-Mail-Adresse gehört zur Anmeldung einer anderen Person. Fragen Sie den Betreiber dieses Dienstes.',
    roles: 'Der Anmeldedienst hat nicht gesagt, was Sie dürfen. Fragen Sie den Betreiber dieses Dienstes.',
    unusable: 'Der Anmeldedienst hat nicht gesagt, wer Sie sind. Fragen Sie den Betreiber dieses Dienstes.',
  },
};
