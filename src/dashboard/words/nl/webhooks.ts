import type { Words } from '../en.ts';
import { plural } from '../locale.ts';

export const webhooks: Words['webhooks'] = {
  about: 'De dienst laat je programma weten dat er iets gebeurt, met een ondertekende POST naar een adres van jou.',
  yours: 'Jouw webhooks',
  create: 'Webhook maken',
  createShort: 'Maken',
  list: 'Lijst van webhooks',
  empty: 'Je hebt nog geen webhook. Drie stappen:',
  firstSteps: [
    'Druk op **Webhook maken**: een gebeurtenis en het https-adres van je ontvanger.',
    'Kopieer het geheim, dat één keer wordt getoond, naar je ontvanger; eronder staat er een om mee te beginnen.',
    'Druk op **Testgebeurtenis sturen** en zie hier wat er verstuurd is en wat er terugkwam.',
  ],
  resumed: (name) =>
    `Hervat: ${name}. Gebeurtenissen die wachtten worden nu verstuurd, de oudste eerst, tot zeven dagen terug.`,
  paused: (name) =>
    `Gepauzeerd: ${name}. Gebeurtenissen wachten en worden bij het hervatten verstuurd, tot zeven dagen terug.`,
  deleted: (name) => `Verwijderd: ${name}.`,
  testWaits: (url) => `Een testgebeurtenis voor ${url} wordt bij het hervatten verstuurd.`,
  testSent: (url) => `Een testgebeurtenis voor ${url} is onderweg; zie Bezorgingen hieronder.`,
  webhook: 'Webhook',
  to: (event, url) => `${event} naar ${url}`,
  events: {
    'usage.updated': 'als uren verbruik zijn veranderd, hoogstens één keer per minuut',
    'alert.triggered': 'als er een melding komt',
    'device.connected': 'als een apparaat voor het eerst iets stuurt',
    'user.created': 'als er een account wordt gemaakt',
  },
  newWebhook: 'Je nieuwe webhook',
  newSecret: 'Je nieuwe geheim',
  giveIt: 'Geef het aan je ontvanger en druk dan in de lijst op **Testgebeurtenis sturen**.',
  event: 'Gebeurtenis',
  eventHints: {
    homeowner:
      'Je krijgt die van je account. Een webhook heeft één gebeurtenis; maak voor een andere een tweede webhook.',
    utility:
      'Je krijgt die van je eigen account en van de accounts onder je hoede. Een webhook heeft één gebeurtenis; maak voor een andere een tweede webhook.',
    admin:
      'Je krijgt die van alle accounts. Een webhook heeft één gebeurtenis; maak voor een andere een tweede webhook.',
  },
  urlHint: 'Van je ontvanger: https, met een geldig certificaat, op een openbaar adres.',
  deliveries: 'Bezorgingen',
  deliveriesOf: (name) => `Bezorgingen: ${name}`,
  sendTest: 'Testgebeurtenis sturen',
  sendTestOf: (name) => `Testgebeurtenis sturen: ${name}`,
  pause: 'Pauzeren',
  pauseOf: (name) => `Pauzeren: ${name}`,
  resume: 'Hervatten',
  resumeOf: (name) => `Hervatten: ${name}`,
  rotate: 'Vernieuwen',
  rotateSecret: 'Geheim vernieuwen',
  rotateSecretOf: (name) => `Geheim vernieuwen: ${name}`,
  deleteQuestion:
    'Er wordt niets meer verstuurd. Wachtende gebeurtenissen en het logboek worden verwijderd. Moet hij even stoppen, pauzeer hem dan.',
  byHand: 'met de hand',
  lastTry: (outcome) => `laatste poging: ${outcome}`,
  log: {
    about: (name) => `Van **${name}**, in de laatste 30 dagen.`,
    pending: (count) =>
      plural(count, {
        one: '# in de wacht; de lijst loopt vanzelf mee.',
        other: '# in de wacht; de lijst loopt vanzelf mee.',
      }),
    label: 'Logboek',
    tries: 'Pogingen',
    lastAnswer: 'Laatste antwoord',
    lastTry: 'Laatste poging',
    nextTry: 'Volgende poging',
    empty: 'Er is nog niets verstuurd. Druk op **Testgebeurtenis sturen** om je ontvanger te proberen.',
    detailsOf: (name) => `Details: ${name}`,
    retry: 'Opnieuw sturen',
    retryOf: (name) => `Opnieuw sturen: ${name}`,
    whenResumed: 'bij hervatten',
    now: 'nu',
    inSeconds: (seconds) => `over ${seconds} s`,
  },
  exchange: {
    request: 'Verzoek',
    sent: 'Wat er wordt verstuurd',
    firstLines: 'Verzoek, de eerste regels',
    madeAnew: 'En, bij elke poging opnieuw gemaakt: `webhook-timestamp` en `webhook-signature`.',
    body: 'Verzoek, de inhoud',
    indented: 'Hier ingesprongen; verstuurd en ondertekend wordt het zonder spaties.',
    answers: 'Antwoorden',
    cameBack: 'Wat er terugkwam',
    none: 'Nog niet geprobeerd.',
    after: (milliseconds) => `na ${milliseconds} ms,`,
    answer: 'Antwoord, het begin van de inhoud',
    noAnswer: 'Er kwam geen antwoord.',
    emptyBody: 'De inhoud was leeg.',
  },
  rotation: {
    bothSign:
      'Gedurende 24 uur wordt elke gebeurtenis ook met het vorige geheim ondertekend: geef je ontvanger vóór die tijd het nieuwe.',
    about:
      'Je krijgt een nieuw geheim, één keer getoond. Gedurende 24 uur worden gebeurtenissen met beide ondertekend, zodat niets wordt geweigerd voordat je ontvanger het nieuwe heeft.',
    again: 'Vernieuw je het binnen die tijd nog eens, dan ondertekenen alleen de laatste twee.',
  },
  secret: {
    copyNow:
      '**Kopieer het geheim nu: het wordt maar één keer getoond.** Je ontvanger controleert ermee dat gebeurtenissen van deze dienst komen.',
    label: 'Geheim',
    receiver: 'Een ontvanger die handtekeningen controleert',
    receiverLabel: 'ontvanger',
    about:
      'Ondertekend volgens [Standard Webhooks]; voor de meeste talen zijn er bibliotheken. Aanroepen komen via HTTPS: laat wat bij jou TLS afhandelt ze doorgeven. Antwoord binnen 5 seconden met 2xx.',
  },
};
