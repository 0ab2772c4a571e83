import type { Words } from '../en.ts';
import { plural } from '../locale.ts';

export const webhooks: Words['webhooks'] = {
  about: 'Le service prévient votre programme quand il se passe quelque chose, par un POST signé à une adresse à vous.',
  yours: 'Vos webhooks',
  create: 'Créer un webhook',
  createShort: 'Créer le webhook',
  list: 'Liste des webhooks',
  empty: 'Vous n’avez pas encore de webhook. Trois étapes :',
  firstSteps: [
    'Appuyez sur **Créer un webhook** : un événement, et l’adresse https de votre récepteur.',
    'Copiez le secret, affiché une seule fois, dans votre récepteur ; il y en a un pour commencer dessous.',
    'Appuyez sur **Envoyer un essai**, et voyez ici ce qui a été envoyé et ce qui est revenu.',
  ],
  resumed: (name) =>
    `Repris : ${name}. Les événements en attente sont envoyés maintenant, les plus anciens d’abord, jusqu’à sept jours en arrière.`,
  paused: (name) =>
    `En pause : ${name}. Les événements attendent et seront envoyés à la reprise, jusqu’à sept jours en arrière.`,
  deleted: (name) => `Supprimé : ${name}.`,
  testWaits: (url) => `Un événement d’essai pour ${url} sera envoyé à la reprise.`,
  testSent: (url) => `Un événement d’essai pour ${url} est en route ; voyez Envois ci-dessous.`,
  webhook: 'Webhook',
  to: (event, url) => `${event} vers ${url}`,
  events: {
    'usage.updated': 'quand des heures de consommation ont changé, au plus une fois par minute',
    'alert.triggered': 'quand une alerte se déclenche',
    'device.connected': 'quand un appareil envoie pour la première fois',
    'user.created': 'quand un compte est créé',
  },
  newWebhook: 'Votre nouveau webhook',
  newSecret: 'Votre nouveau secret',
  giveIt: 'Donnez-le à votre récepteur, puis appuyez sur **Envoyer un essai** dans la liste.',
  event: 'Événement',
  eventHints: {
    homeowner: 'Vous recevez ceux de votre compte. Un webhook a un événement ; pour un autre, créez un autre webhook.',
    utility:
      'Vous recevez ceux de votre compte et des comptes dont vous vous occupez. Un webhook a un événement ; pour un autre, créez un autre webhook.',
    admin: 'Vous recevez ceux de tous les comptes. Un webhook a un événement ; pour un autre, créez un autre webhook.',
  },
  urlHint: 'De votre récepteur : https, avec un certificat valable, à une adresse publique.',
  deliveries: 'Envois',
  deliveriesOf: (name) => `Envois : ${name}`,
  sendTest: 'Envoyer un essai',
  sendTestOf: (name) => `Envoyer un essai : ${name}`,
  pause: 'Mettre en pause',
  pauseOf: (name) => `Mettre en pause : ${name}`,
  resume: 'Reprendre',
  resumeOf: (name) => `Reprendre : ${name}`,
  rotate: 'Renouveler',
  rotateSecret: 'Renouveler le secret',
  rotateSecretOf: (name) => `Renouveler le secret : ${name}`,
  deleteQuestion:
    'Plus rien n’est envoyé. Les événements en attente et le journal sont supprimés. Pour l’arrêter un moment, mettez-le en pause.',
  byHand: 'à la main',
  lastTry: (outcome) => `dernier essai : ${outcome}`,
  log: {
    about: (name) => `De **${name}**, ces 30 derniers jours.`,
    pending: (count) =>
      plural(count, {
        one: '# en attente ; la liste suit d’elle-même.',
        other: '# en attente ; la liste suit d’elle-même.',
      }),
    label: 'Journal',
    tries: 'Essais',
    lastAnswer: 'Dernière réponse',
    lastTry: 'Dernier essai',
    nextTry: 'Prochain essai',
    empty: 'Rien n’a encore été envoyé. Appuyez sur **Envoyer un essai** pour vérifier votre récepteur.',
    detailsOf: (name) => `Détails : ${name}`,
    retry: 'Renvoyer',
    retryOf: (name) => `Renvoyer : ${name}`,
    whenResumed: 'à la reprise',
    now: 'maintenant',
    inSeconds: (seconds) => `dans ${seconds} s`,
  },
  exchange: {
    request: 'Requête',
    sent: 'Ce qui est envoyé',
    firstLines: 'Requête, ses premières lignes',
    madeAnew: 'Et, refaits à chaque essai : `webhook-timestamp` et `webhook-signature`.',
    body: 'Requête, son contenu',
    indented: 'En retrait ici ; c’est envoyé, et signé, sans espaces.',
    answers: 'Réponses',
    cameBack: 'Ce qui est revenu',
    none: 'Pas encore essayé.',
    after: (milliseconds) => `après ${milliseconds} ms,`,
    answer: 'Réponse, le début de son contenu',
    noAnswer: 'Il n’y a pas eu de réponse.',
    emptyBody: 'Son contenu était vide.',
  },
  rotation: {
    bothSign:
      'Pendant 24 heures, chaque événement est signé aussi avec l’ancien secret : donnez d’ici là le nouveau à votre récepteur.',
    about:
      'Vous recevez un nouveau secret, affiché une fois. Pendant 24 heures, les événements sont signés avec les deux, pour que rien ne soit refusé avant que votre récepteur ait le nouveau.',
    again: 'Renouvelé encore pendant ce temps, seuls les deux derniers signent.',
  },
  secret: {
    copyNow:
      '**Copiez le secret maintenant : il n’est affiché qu’une fois.** Votre récepteur s’en sert pour vérifier que les événements viennent de ce service.',
    label: 'Secret',
    receiver: 'Un récepteur qui vérifie les signatures',
    receiverLabel: 'récepteur',
    about:
      'Signé selon [Standard Webhooks] ; il existe des bibliothèques pour la plupart des langages. Les appels arrivent en HTTPS : laissez ce qui termine TLS chez vous les transmettre. Répondez par 2xx en moins de 5 secondes.',
  },
};
