import type { Words } from '../en.ts';
import { count, plural } from '../locale.ts';

const within = {
  peak_usage: 'in einer Stunde',
  daily_usage: 'an einem Tag',
  monthly_usage: 'in einem Monat',
  daily_cost: 'an einem Tag',
  monthly_cost: 'in einem Monat',
};
const onDays = (days: number) => plural(days, { one: 'an # Tag', other: 'an # verschiedenen Tagen' });

export const alerts: Words['alerts'] = {
  aboutOwn: (zone) =>
    `Ein Alarm meldet, wenn Ihr Zuhause mehr verbraucht oder kostet als es soll oder wenn ein Gerät verstummt. Zeiträume sind Stunden, Tage und Monate von ${zone}.`,
  about: (email, zone) =>
    `Ein Alarm meldet, wenn ${email} mehr verbraucht oder zahlt als vorgesehen oder wenn ein Gerät verstummt. Zeiträume sind Stunden, Tage und Monate von ${zone}.`,
  yours: 'Ihre Alarme',
  of: (email) => `Alarme von ${email}`,
  create: 'Alarm anlegen',
  createShort: 'Anlegen',
  list: 'Liste der Alarme',
  empty:
    'Es gibt noch keinen Alarm. Drücken Sie **Alarm anlegen**: Sie sehen, an welchen der letzten 90 Tage er ausgelöst hätte, bevor Sie ihn anlegen.',
  paused: (rule) => `Pausiert: ${rule}. Er löst nicht aus, bis er fortgesetzt wird.`,
  resumed: (rule) => `Fortgesetzt: ${rule}.`,
  deleted: (rule) => `Gelöscht: ${rule}.`,
  created: (rule) => `Angelegt: ${rule}. Er wacht ab jetzt.`,
  saved: (rule) => `Gespeichert: ${rule}.`,
  alert: 'Alarm',
  toldBy: 'Meldung per',
  history: 'Verlauf',
  historyOf: (rule) => `Verlauf: ${rule}`,
  editOf: (rule) => `Bearbeiten: ${rule}`,
  pause: 'Pausieren',
  resume: 'Fortsetzen',
  deleteQuestion:
    'Er löst nicht mehr aus, und sein Verlauf wird gelöscht. Soll er nur eine Weile schweigen, pausieren Sie ihn.',
  types: {
    peak_usage: { name: 'Eine Stunde', meaning: 'verbraucht mehr als …', label: 'Mehr als, kWh in einer Stunde' },
    daily_usage: { name: 'Ein Tag', meaning: 'verbraucht mehr als …', label: 'Mehr als, kWh an einem Tag' },
    monthly_usage: { name: 'Ein Monat', meaning: 'verbraucht mehr als …', label: 'Mehr als, kWh in einem Monat' },
    daily_cost: { name: 'Tageskosten', meaning: 'von mehr als …', label: 'Mehr als, Geld am Tag' },
    monthly_cost: { name: 'Monatskosten', meaning: 'von mehr als …', label: 'Mehr als, Geld im Monat' },
    no_data: { name: 'Funkstille', meaning: 'ein Gerät sendet nichts seit …', label: 'Stumm seit, Stunden' },
  },
  deliveries: { email: 'E-Mail', sms: 'SMS', webhook: 'Webhook' },
  silentFor: (hours) => plural(hours, { one: '# Stunde stumm', other: '# Stunden stumm' }),
  costsMore: (amount, type) => `Kostet mehr als ${amount} ${within[type]}`,
  usesMore: (amount, type) => `Mehr als ${amount} kWh ${within[type]}`,
  watch: 'Überwachen',
  hints: {
    looking: 'Die letzten 90 Tage werden angesehen …',
    currency: 'In der Währung des Tarifs.',
    in: (currency) => `In ${currency}.`,
    suggestedIn: (currency, amount) =>
      `In ${currency}. Vorschlag: ${amount}. In den letzten 90 Tagen lag wenig darüber.`,
    suggestedHours: (hours) => `Vorschlag: ${hours}. In den letzten 90 Tagen waren wenige Pausen länger.`,
    suggested: (amount) => `Vorschlag: ${amount}. In den letzten 90 Tagen lag wenig darüber.`,
    usual: (amount) => `Vorschlag: ${amount}; das ist viel für einen Haushalt.`,
  },
  tell: {
    legend: 'Melden per',
    to: (address) => `an ${address}`,
    toPhone: 'an ein Telefon',
    toProgram: 'an ein Programm',
    phone: 'Telefonnummer',
    phoneHint: 'Mit Ländervorwahl, etwa +4915112345678. Sie wird beim Konto gespeichert.',
    phoneForm: '+, Ländervorwahl und Nummer, nur Ziffern',
    youHaveNone:
      '**Noch könnte niemandem gemeldet werden: Sie haben kein aktives Abonnement von** `alert.triggered`**.**',
    hasNone: (email) =>
      `**Noch könnte niemandem gemeldet werden: ${email} hat kein aktives Abonnement von** \`alert.triggered\`**.**`,
    needed: 'Dazu braucht es ein aktives Abonnement von `alert.triggered`.',
    makeOne: '[Legen Sie auf der Seite Webhooks eines an] und kommen Sie dann zurück.',
    theirs: (email) =>
      `Es muss das eigene dieses Kontos sein: ${email} legt es hier angemeldet auf der Seite Webhooks an.`,
  },
  firings: {
    list: 'Auslösungen',
    fired: 'Ausgelöst',
    silentSince: 'Stumm seit',
    period: 'Zeitraum',
    costByThen: 'Kosten bis dahin',
    usedByThen: 'Verbrauch bis dahin',
    oncePerSilence: 'Er löst für jede Funkstille eines Geräts einmal aus.',
    oncePerPeriod: 'Er löst in jedem Zeitraum einmal aus, sobald die Summe über der Schwelle von dann liegt.',
    none: 'Er hat noch nicht ausgelöst.',
    span: (from, to) => `${from} bis ${to}`,
  },
  preview: {
    label: 'Vorschau',
    typeOne: 'Wann hätte er ausgelöst? Geben Sie eine Schwelle ein.',
    noUsage: (days) => `Für die letzten ${days} Tage ist kein Verbrauch bekannt. Der Alarm überwacht neue Messwerte.`,
    noCost: (days) => `Für die letzten ${days} Tage sind keine Kosten bekannt. Der Alarm überwacht neue Messwerte.`,
    titles: {
      peak_usage: 'Höchste Stunde jedes Tages',
      daily_usage: 'Verbrauch nach Tagen',
      monthly_usage: 'Verbrauch nach Monaten',
      daily_cost: 'Kosten nach Tagen',
      monthly_cost: 'Kosten nach Monaten',
    },
    mark: 'hätte ausgelöst',
    never: (rule, days) => `${rule}: **hätte** in den letzten ${days} Tagen **nicht ausgelöst**.`,
    fired: (rule, times, days) => `${rule}: **hätte** in den letzten ${days} Tagen **${count(times)}-mal ausgelöst**.`,
    firedAtLeast: (rule, times, days) =>
      `${rule}: **hätte** in den letzten ${days} Tagen **mindestens ${count(times)}-mal ausgelöst**.`,
    firedOn: (rule, times, days, on) =>
      `${rule}: **hätte** in den letzten ${days} Tagen **${count(times)}-mal ausgelöst**, ${onDays(on)}.`,
    firedAtLeastOn: (rule, times, days, on) =>
      `${rule}: **hätte** in den letzten ${days} Tagen **mindestens ${count(times)}-mal ausgelöst**, ${onDays(on)}.`,
  },
  silences: {
    list: 'Funkstille',
    for: 'Dauer',
    hours: (hours) => plural(hours, { one: '# Stunde', other: '# Stunden' }),
    days: (days) => plural(days, { one: '# Tag', other: '# Tage' }),
    still: (length) => `${length}, dauert an`,
  },
};
