import type { Words } from '../en.ts';
import { count, plural } from '../locale.ts';

const within = {
  peak_usage: 'une heure',
  daily_usage: 'un jour',
  monthly_usage: 'un mois',
  daily_cost: 'un jour',
  monthly_cost: 'un mois',
};
const onDays = (days: number) => plural(days, { one: 'sur # jour', other: 'sur # jours différents' });

export const alerts: Words['alerts'] = {
  aboutOwn: (zone) =>
    `Une alerte prévient quand votre logement consomme ou coûte plus qu’il ne devrait, ou quand un appareil se tait. Les périodes sont des heures, des jours et des mois de ${zone}.`,
  about: (email, zone) =>
    `Une alerte prévient quand ${email} consomme ou paie plus que prévu, ou quand un appareil se tait. Les périodes sont des heures, des jours et des mois de ${zone}.`,
  yours: 'Vos alertes',
  of: (email) => `Alertes de ${email}`,
  create: 'Créer une alerte',
  createShort: 'Créer l’alerte',
  list: 'Liste des alertes',
  empty:
    'Il n’y a pas encore d’alerte. Appuyez sur **Créer une alerte** : vous voyez lesquels des 90 derniers jours l’auraient déclenchée, avant de la créer.',
  paused: (rule) => `En pause : ${rule}. Elle ne se déclenche plus jusqu’à sa reprise.`,
  resumed: (rule) => `Reprise : ${rule}.`,
  deleted: (rule) => `Supprimée : ${rule}.`,
  created: (rule) => `Créée : ${rule}. Elle veille à partir de maintenant.`,
  saved: (rule) => `Enregistrée : ${rule}.`,
  alert: 'Alerte',
  toldBy: 'Envoi par',
  history: 'Historique',
  historyOf: (rule) => `Historique : ${rule}`,
  editOf: (rule) => `Modifier : ${rule}`,
  pause: 'Mettre en pause',
  resume: 'Reprendre',
  deleteQuestion:
    'Elle ne se déclenche plus, et son historique est supprimé. Pour la faire taire un moment, mettez-la en pause.',
  types: {
    peak_usage: { name: 'Une heure', meaning: 'consomme plus de …', label: 'Plus de, kWh en une heure' },
    daily_usage: { name: 'Un jour', meaning: 'consomme plus de …', label: 'Plus de, kWh en un jour' },
    monthly_usage: { name: 'Un mois', meaning: 'consomme plus de …', label: 'Plus de, kWh en un mois' },
    daily_cost: { name: 'Coût du jour', meaning: 'de plus de …', label: 'Plus de, argent par jour' },
    monthly_cost: { name: 'Coût du mois', meaning: 'de plus de …', label: 'Plus de, argent par mois' },
    no_data: { name: 'Silence', meaning: 'un appareil n’envoie rien pendant …', label: 'Muet pendant, heures' },
  },
  deliveries: { email: 'E-mail', sms: 'SMS', webhook: 'Webhook' },
  silentFor: (hours) => plural(hours, { one: 'Muet pendant # heure', other: 'Muet pendant # heures' }),
  costsMore: (amount, type) => `Coûte plus de ${amount} en ${within[type]}`,
  usesMore: (amount, type) => `Plus de ${amount} kWh en ${within[type]}`,
  watch: 'Surveiller',
  hints: {
    looking: 'Examen des 90 derniers jours …',
    currency: 'Dans la devise du tarif.',
    in: (currency) => `En ${currency}.`,
    suggestedIn: (currency, amount) =>
      `En ${currency}. Suggestion : ${amount}. Rarement dépassé ces 90 derniers jours.`,
    suggestedHours: (hours) => `Suggestion : ${hours}. Peu de silences ont été plus longs ces 90 derniers jours.`,
    suggested: (amount) => `Suggestion : ${amount}. Rarement dépassé ces 90 derniers jours.`,
    usual: (amount) => `Suggestion : ${amount}, ce qui est beaucoup pour un foyer.`,
  },
  tell: {
    legend: 'Prévenir par',
    to: (address) => `à ${address}`,
    toPhone: 'à un téléphone',
    toProgram: 'à un programme',
    phone: 'Numéro de téléphone',
    phoneHint: 'Avec l’indicatif du pays, comme +33612345678. Il est conservé avec le compte.',
    phoneForm: '+, indicatif du pays et numéro, chiffres uniquement',
    youHaveNone:
      '**Personne ne pourrait encore être prévenu : vous n’avez pas d’abonnement actif à** `alert.triggered`**.**',
    hasNone: (email) =>
      `**Personne ne pourrait encore être prévenu : ${email} n’a pas d’abonnement actif à** \`alert.triggered\`**.**`,
    needed: 'Il faut un abonnement actif à `alert.triggered`.',
    makeOne: '[Créez-en un sur la page Webhooks], puis revenez.',
    theirs: (email) => `Il doit appartenir à ce compte : ${email} le crée, connecté ici, sur la page Webhooks.`,
  },
  firings: {
    list: 'Déclenchements',
    fired: 'Déclenchée',
    silentSince: 'Muet depuis',
    period: 'Période',
    costByThen: 'Coût à ce moment',
    usedByThen: 'Consommé à ce moment',
    oncePerSilence: 'Elle se déclenche une fois pour chaque silence d’un appareil.',
    oncePerPeriod: 'Elle se déclenche une fois par période, dès que le total dépasse le seuil du moment.',
    none: 'Elle ne s’est pas encore déclenchée.',
    span: (from, to) => `${from} à ${to}`,
  },
  preview: {
    label: 'Aperçu',
    typeOne: 'Quand se serait-elle déclenchée ? Saisissez un seuil pour le voir.',
    noUsage: (days) =>
      `Aucune consommation n’est connue pour les ${days} derniers jours. L’alerte surveille les nouvelles mesures.`,
    noCost: (days) =>
      `Aucun coût n’est connu pour les ${days} derniers jours. L’alerte surveille les nouvelles mesures.`,
    titles: {
      peak_usage: 'Heure la plus forte de chaque jour',
      daily_usage: 'Consommation par jour',
      monthly_usage: 'Consommation par mois',
      daily_cost: 'Coût par jour',
      monthly_cost: 'Coût par mois',
    },
    mark: 'déclenchement',
    never: (rule, days) => `${rule} : **ne se serait pas déclenchée** ces ${days} derniers jours.`,
    fired: (rule, times, days) => `${rule} : **se serait déclenchée ${count(times)} fois** ces ${days} derniers jours.`,
    firedAtLeast: (rule, times, days) =>
      `${rule} : **se serait déclenchée au moins ${count(times)} fois** ces ${days} derniers jours.`,
    firedOn: (rule, times, days, on) =>
      `${rule} : **se serait déclenchée ${count(times)} fois** ces ${days} derniers jours, ${onDays(on)}.`,
    firedAtLeastOn: (rule, times, days, on) =>
      `${rule} : **se serait déclenchée au moins ${count(times)} fois** ces ${days} derniers jours, ${onDays(on)}.`,
  },
  silences: {
    list: 'Silences',
    for: 'Durée',
    hours: (hours) => plural(hours, { one: '# heure', other: '# heures' }),
    days: (days) => plural(days, { one: '# jour', other: '# jours' }),
    still: (length) => `${length}, toujours muet`,
  },
};
