import type { Words } from '../en.ts';
import { plural } from '../locale.ts';

export const webhooks: Words['webhooks'] = {
  about:
    'Der Dienst benachrichtigt Ihr Programm, wenn etwas geschieht, durch ein signiertes POST an eine Ihrer Adressen.',
  yours: 'Ihre Webhooks',
  create: 'Webhook anlegen',
  createShort: 'Anlegen',
  list: 'Liste der Webhooks',
  empty: 'Sie haben noch keinen Webhook. Drei Schritte:',
  firstSteps: [
    'Drücken Sie **Webhook anlegen**: ein Ereignis und die https-Adresse Ihres Empfängers.',
    'Kopieren Sie das Geheimnis, das einmal angezeigt wird, in Ihren Empfänger; einer für den Anfang steht darunter.',
    'Drücken Sie **Testereignis senden** und sehen Sie hier, was gesendet wurde und was zurückkam.',
  ],
  resumed: (name) =>
    `Fortgesetzt: ${name}. Wartende Ereignisse werden jetzt gesendet, die ältesten zuerst, bis zu sieben Tage zurück.`,
  paused: (name) =>
    `Pausiert: ${name}. Ereignisse warten und werden beim Fortsetzen gesendet, bis zu sieben Tage zurück.`,
  deleted: (name) => `Gelöscht: ${name}.`,
  testWaits: (url) => `Ein Testereignis für ${url} wird beim Fortsetzen gesendet.`,
  testSent: (url) => `Ein Testereignis für ${url} ist unterwegs; siehe Zustellungen unten.`,
  webhook: 'Webhook',
  to: (event, url) => `${event} an ${url}`,
  events: {
    'usage.updated': 'wenn sich Verbrauchsstunden geändert haben, höchstens einmal pro Minute',
    'alert.triggered': 'wenn ein Alarm auslöst',
    'device.connected': 'wenn ein Gerät zum ersten Mal sendet',
    'user.created': 'wenn ein Konto angelegt wird',
  },
  newWebhook: 'Ihr neuer Webhook',
  newSecret: 'Ihr neues Geheimnis',
  giveIt: 'Geben Sie es Ihrem Empfänger und drücken Sie dann in der Liste **Testereignis senden**.',
  event: 'Ereignis',
  eventHints: {
    homeowner:
      'Sie erhalten die Ihres Kontos. Ein Webhook hat ein Ereignis; für ein anderes legen Sie einen weiteren an.',
    utility:
      'Sie erhalten die Ihres eigenen und der von Ihnen betreuten Konten. Ein Webhook hat ein Ereignis; für ein anderes legen Sie einen weiteren an.',
    admin: 'Sie erhalten die aller Konten. Ein Webhook hat ein Ereignis; für ein anderes legen Sie einen weiteren an.',
  },
  urlHint: 'Ihres Empfängers: https, mit gültigem Zertifikat, unter einer öffentlichen Adresse.',
  deliveries: 'Zustellungen',
  deliveriesOf: (name) => `Zustellungen: ${name}`,
  sendTest: 'Testereignis senden',
  sendTestOf: (name) => `Testereignis senden: ${name}`,
  pause: 'Pausieren',
  pauseOf: (name) => `Pausieren: ${name}`,
  resume: 'Fortsetzen',
  resumeOf: (name) => `Fortsetzen: ${name}`,
  rotate: 'Erneuern',
  rotateSecret: 'Geheimnis erneuern',
  rotateSecretOf: (name) => `Geheimnis erneuern: ${name}`,
  deleteQuestion:
    'Es wird nichts mehr gesendet. Wartende Ereignisse und das Protokoll werden gelöscht. Soll er nur eine Weile ruhen, pausieren Sie ihn.',
  byHand: 'von Hand',
  lastTry: (outcome) => `letzter Versuch: ${outcome}`,
  log: {
    about: (name) => `Von **${name}**, in den letzten 30 Tagen.`,
    pending: (count) =>
      plural(count, {
        one: '# ausstehend; die Liste folgt von selbst.',
        other: '# ausstehend; die Liste folgt von selbst.',
      }),
    label: 'Protokoll',
    tries: 'Versuche',
    lastAnswer: 'Letzte Antwort',
    lastTry: 'Letzter Versuch',
    nextTry: 'Nächster Versuch',
    empty: 'Noch wurde nichts gesendet. Drücken Sie **Testereignis senden**, um Ihren Empfänger zu prüfen.',
    detailsOf: (name) => `Details: ${name}`,
    retry: 'Erneut senden',
    retryOf: (name) => `Erneut senden: ${name}`,
    whenResumed: 'beim Fortsetzen',
    now: 'jetzt',
    inSeconds: (seconds) => `in ${seconds} s`,
  },
  exchange: {
    request: 'Anfrage',
    sent: 'Was gesendet wird',
    firstLines: 'Anfrage, ihre ersten Zeilen',
    madeAnew: 'Dazu bei jedem Versuch neu: `webhook-timestamp` und `webhook-signature`.',
    body: 'Anfrage, ihr Inhalt',
    indented: 'Hier eingerückt; gesendet und signiert wird ohne Leerzeichen.',
    answers: 'Antworten',
    cameBack: 'Was zurückkam',
    none: 'Noch nicht versucht.',
    after: (milliseconds) => `nach ${milliseconds} ms,`,
    answer: 'Antwort, der Anfang ihres Inhalts',
    noAnswer: 'Es kam keine Antwort.',
    emptyBody: 'Ihr Inhalt war leer.',
  },
  rotation: {
    bothSign:
      '24 Stunden lang wird jedes Ereignis auch mit dem bisherigen Geheimnis signiert: Geben Sie Ihrem Empfänger bis dahin das neue.',
    about:
      'Sie erhalten ein neues Geheimnis, einmal angezeigt. 24 Stunden lang werden Ereignisse mit beiden signiert, damit nichts abgelehnt wird, bevor Ihr Empfänger das neue hat.',
    again: 'Wird in dieser Zeit noch einmal erneuert, signieren nur die letzten beiden.',
  },
  secret: {
    copyNow:
      '**Kopieren Sie das Geheimnis jetzt: Es wird nur einmal angezeigt.** Ihr Empfänger prüft damit, dass Ereignisse von diesem Dienst kommen.',
    label: 'Geheimnis',
    receiver: 'Ein Empfänger, der Signaturen prüft',
    receiverLabel: 'Empfänger',
    about:
      'Signiert nach [Standard Webhooks]; für die meisten Sprachen gibt es Bibliotheken. Aufrufe kommen per HTTPS: Lassen Sie sie von dem weiterreichen, was bei Ihnen TLS beendet. Antworten Sie innerhalb von 5 Sekunden mit 2xx.',
  },
};
