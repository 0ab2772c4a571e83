import type { Words } from '../en.ts';
import { plural } from '../locale.ts';

export const period: Words['period'] = {
  choose: 'Zeitraum',
  units: { day: 'Tag', week: 'Woche', month: 'Monat', year: 'Jahr' },
  previous: { day: 'Tag davor', week: 'Woche davor', month: 'Monat davor', year: 'Jahr davor' },
  next: { day: 'Tag danach', week: 'Woche danach', month: 'Monat danach', year: 'Jahr danach' },
  goTo: 'Zu einem Datum',
  used: 'Verbraucht',
  usedSoFar: 'Bisher verbraucht',
  produced: 'Erzeugt',
  producedSoFar: 'Bisher erzeugt',
  cost: 'Kosten',
  now: 'Jetzt',
  average: 'Mittlere Leistung',
  /** Of a power. */
  lastMinutes: (low: string, high: string) => `Letzte 10 Minuten: niedrigste ${low}, höchste ${high}.`,
  nowMean: (minutes) => plural(minutes, { one: 'Mittel der letzten Minute', other: 'Mittel der letzten # Minuten' }),
  before: { day: 'Eine Woche zuvor', week: 'Die Woche zuvor', month: (weeks) => `${weeks} Wochen zuvor` },
  lastYear: 'Ein Jahr zuvor',
  less: (share) => `${share} weniger als damals`,
  more: (share) => `${share} mehr als damals`,
  same: 'so viel wie damals',
  /** If money moved otherwise than energy. */
  energyChange: (change: string) => `Energie: ${change}`,
  costChange: (change: string) => `Kosten: ${change}`,
  partKnown: (share) => `nur ${share} davon bekannt`,
  likeWithLike: 'Verglichen wird mit ebenso vielen Tagen, denselben Wochentagen, bis zur selben Uhrzeit.',
  base: 'Immer an',
  baseAYear: (energy) => `${energy} im Jahr`,
  baseCost: (money) => `etwa ${money} im Jahr`,
  ownUsed: (energy) => `${energy} eigene Energie verbraucht`,
  stored: (energy) => `${energy} in der Batterie gespeichert`,
  load: 'Leistung im Lauf des Tages',
  typicalDay: (days) => `Ein Tag davon, im Mittel (${plural(days, { one: '# Tag', other: '# Tage' })})`,
  byDay: 'Verbrauch nach Tagen',
  byMonth: 'Verbrauch nach Monaten',
  peak: 'Spitze',
  peakAt: (power, at) => `Höchste Viertelstunde: **${power}**, ${at}.`,
  baseLine: (power) => `Die gestrichelte Linie ist, was immer an ist: ${power}.`,
  whatUses: 'Was verbraucht',
  share: 'Anteil',
  night: 'Nachts',
  nightHours: 'Mittel von 0 bis 5 Uhr',
  nightMost: (device, power, energy) =>
    `Nachts verbraucht von Ihren Geräten **${device}** am meisten: ${power} im Mittel, ${energy} im Jahr.`,
  nightMostCost: (device, power, energy, money) =>
    `Nachts verbraucht von Ihren Geräten **${device}** am meisten: ${power} im Mittel, ${energy} und etwa ${money} im Jahr.`,
  nightUnexplained: (power: string, energy: string) =>
    `Nachts braucht Ihr Zuhause im Mittel **${power}**, ${energy} im Jahr. Kein einzeln gemessenes Gerät erklärt das.`,
  profileOf: (days) =>
    `Immer an: die niedrigsten gleichmäßigen zwei Stunden eines Tages. Nachts: Mittel von 0 bis 5 Uhr. Beides aus den letzten ${days} Tagen.`,
  untrackedAbout: 'kein eigenes Gerät meldet es',
  behind: (device) => `Teil von ${device}`,
  gone: 'entfernt',
  others: 'Zähler und Quellen',
  in: 'Bezug',
  out: 'Abgabe',
  noConsumers:
    'Kein einzelnes Gerät meldet, was es verbraucht. Eine Messsteckdose oder der Zähler eines Stromkreises macht einen Teil davon bekannt: [eines koppeln].',
  climateOf: (device) => `Temperatur und Heizung: ${device}`,
  noClimate: 'Es hat in dieser Zeit nichts gemeldet.',
  week: 'Wann am meisten verbraucht wird',
  commodities: { before: 'Zuvor', lastYear: 'Ein Jahr zuvor' },
  firstSteps: {
    title: 'Drei Schritte zu Ihren ersten Zahlen',
    steps: [
      '[Koppeln Sie ein Gerät]: Ihren Zähler, einen Leser daran oder eine Messsteckdose. Sie erhalten, was es zur Anmeldung braucht.',
      'Es sendet seinen ersten Messwert: Sie sehen ihn hier binnen Sekunden.',
      '[Fügen Sie Ihren Tarif hinzu], und jede Zahl hat ihren Preis.',
    ],
    ofOther: (email) => `${email} hat noch keine Geräte. [Koppeln Sie eines], dann erscheint sein Verbrauch hier.`,
  },
  waiting: {
    title: 'Noch ist kein Messwert gekommen',
    about:
      'Was gekoppelt ist, hat noch nichts gesendet, was zählt. [Öffnen Sie Ihre Geräte]: Bei jedem steht, wann es zuletzt gehört wurde und was es braucht.',
  },
  thermostatOnly:
    'Kein Zähler meldet, was dieses Haus verbraucht; unten steht, was das Thermostat sagt. [Koppeln Sie einen Zähler] oder eine Messsteckdose, dann stehen Verbrauch und Kosten daneben.',
  nothingThen: (first) => `Von dieser Zeit ist nichts bekannt. Bekannt ist etwas ab dem [${first}].`,
  nothingSoFar: (before) => `Von dieser Zeit ist noch nichts bekannt. Sehen Sie sich [${before}] an.`,
  nothing: 'Von dieser Zeit ist nichts bekannt.',
  settings: 'Einstellungen',
  ofHome: 'Übersicht',
  offline: (ago) => `Kein Netz. Gesehen: ${ago}.`,
};
