import type { Words } from '../en.ts';
import { plural } from '../locale.ts';

export const home: Words['home'] = {
  lastReading: 'Letzter Messwert',
  timesIn: (zone) => `Zeiten in ${zone}.`,
  addTariff: 'Was kostet das? Tarif hinzufügen',
  live: 'live',
  notLive: 'nicht live',
  waiting: 'wartet auf Messwerte',
  commodities: { gas: 'Gas', heat: 'Wärme', water: 'Wasser' },
  allMeasured: 'alles gemessen',
  figure: {
    opens: (name, shown) => `${name}: ${shown}. Wie sich das zusammensetzt`,
    title: (name) => `${name}: wie sich das zusammensetzt`,
    usedOn: (energy, day) => `**${energy}** verbraucht am ${day}:`,
    usedFrom: (energy, start, end) => `**${energy}** verbraucht vom ${start} bis ${end}:`,
    parts: (measured, estimated) => `${measured} gemessen, ${estimated} geschätzt.`,
    known: (share) => `${share} der Zeit sind bekannt.`,
    knownSoFar: (share) => `${share} der Zeit sind bekannt; der heutige Tag läuft noch.`,
    whyEstimated:
      'Geschätzt: Ein Zähler hat über eine Stunde lang nichts gemeldet. Wie viel geflossen ist, steht fest; in welcher dieser Stunden, nicht.',
    in: 'Bezug',
    out: 'Abgabe',
    estimated: 'Geschätzt',
    notCounted: 'Nicht gezählt, und warum',
    readings: (count) => plural(count, { one: 'Ein Messwert', other: '# Messwerte' }),
    refused: (readings, reason) => `${readings} abgelehnt: ${reason}`,
    notes: {
      held: 'zurückgehalten: unplausibel, bis die nächsten zeigen, was es war',
      glitch: 'ausgelassen: unplausibel, und der nächste passte zum vorherigen',
      late: 'verspätet: Was auf einmal kam, wurde auf die Zeit verteilt, von der es handelt',
      back: 'ausgelassen: Die nächsten passten zu denen davor',
      reset: 'nach einem Zurücksetzen: von null an gezählt',
      rollover: 'nach einem Zählerüberlauf: darüber hinweg gezählt',
      swap: 'von einem anderen Zähler: neuer Anfangsstand, der Sprung zählt nicht',
      overlap: 'ausgelassen: überschneidet sich mit einem anderen Intervall',
    },
  },
  flows: {
    title: 'Woher und wohin',
    production: 'Erzeugung',
    gridImport: 'Netzbezug',
    discharged: 'Aus der Batterie',
    gridExport: 'Einspeisung',
    charged: 'In die Batterie',
    consumption: 'Von einzelnen Geräten gemeldet',
    untracked: 'Nicht zugeordnet',
    used: 'Verbrauch',
    autarky: 'Autarkiegrad',
    unequal: 'Kein Bild: Was hereinkam und was hinausging, stimmt nicht überein.',
    doubts: (doubts) => `Nicht alles ist bekannt: ${doubts}. Unter „Geräte“ geben Sie an, wo jedes sitzt.`,
    silent: 'ein Zähler hat nichts gemeldet',
    fromNowhere: 'es wurde etwas eingespeist, das kein Gerät hier erzeugt',
    otherTimes: 'ein Gerät meldet eine Zeit, in der ein anderes schwieg oder noch nicht da war',
  },
  swaps: {
    title: 'Wurde ein Zähler ersetzt?',
    fell: (location: string, before: string, after: string, at: string) =>
      `**${location}**: Der Zählerstand fiel am ${at} von ${before} auf ${after}. Wurde der Zähler ersetzt?`,
    leapt: (location: string, before: string, after: string, at: string) =>
      `**${location}**: Der Zählerstand sprang am ${at} von ${before} auf ${after}. Wurde der Zähler ersetzt?`,
    yes: 'Ja, ersetzt',
    no: 'Nein, diese Werte nicht zählen',
    /** Of the edit that excludes them. */
    reason: 'Nicht ersetzt: falsche Messwerte',
  },
  heat: {
    label: 'Verbrauch nach Wochentag und Stunde',
    weekday: 'Wochentag',
    most: (weekday, hour, energy, weeks) =>
      `Am meisten wird ${weekday} um ${hour} verbraucht, im Schnitt ${energy}: Mittel der letzten ${plural(weeks, { one: '# Woche', other: '# Wochen' })}.`,
  },
};
