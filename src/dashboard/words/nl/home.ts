import type { Words } from '../en.ts';
import { plural } from '../locale.ts';

export const home: Words['home'] = {
  lastReading: 'Laatste meting',
  timesIn: (zone) => `Tijden in ${zone}.`,
  addTariff: 'Wat kost het? Voeg je tarief toe',
  live: 'live',
  notLive: 'niet live',
  waiting: 'wacht op metingen',
  commodities: { gas: 'Gas', heat: 'Warmte', water: 'Water' },
  allMeasured: 'alles gemeten',
  figure: {
    opens: (name, shown) => `${name}: ${shown}. Hoe dit is opgebouwd`,
    title: (name) => `${name}: hoe dit is opgebouwd`,
    usedOn: (energy, day) => `**${energy}** verbruikt op ${day}:`,
    usedFrom: (energy, start, end) => `**${energy}** verbruikt van ${start} tot en met ${end}:`,
    parts: (measured, estimated) => `${measured} gemeten, ${estimated} geschat.`,
    known: (share) => `${share} van de tijd is bekend.`,
    knownSoFar: (share) => `${share} van de tijd is bekend; vandaag is nog niet voorbij.`,
    whyEstimated:
      'Geschat: een teller zweeg langer dan een uur. Hoeveel er liep staat vast, in welk van die uren niet.',
    in: 'Afname',
    out: 'Levering',
    estimated: 'Geschat',
    notCounted: 'Niet meegeteld, en waarom',
    readings: (count) => plural(count, { one: 'Eén meting', other: '# metingen' }),
    refused: (readings, reason) => `${readings} geweigerd: ${reason}`,
    notes: {
      held: 'aangehouden: onaannemelijk, tot de volgende laten zien wat het was',
      glitch: 'weggelaten: onaannemelijk, en de volgende paste bij de vorige',
      late: 'laat nieuws: wat in één keer kwam, is verdeeld over de tijd waarover het gaat',
      back: 'weggelaten: de volgende pasten bij die ervoor',
      reset: 'na een reset: vanaf nul geteld',
      rollover: 'na het rondlopen van de teller: eroverheen geteld',
      swap: 'van een andere meter: nieuwe beginstand, de sprong telt niet',
      overlap: 'weggelaten: overlapt een ander interval',
    },
  },
  flows: {
    title: 'Waarvandaan en waarheen',
    production: 'Opgewekt',
    gridImport: 'Afname van het net',
    discharged: 'Uit de batterij',
    gridExport: 'Teruglevering',
    charged: 'Naar de batterij',
    consumption: 'Gemeld door losse apparaten',
    untracked: 'Niet toegewezen',
    used: 'Verbruik',
    autarky: 'Zelfvoorzienend',
    unequal: 'Geen plaatje: wat binnenkwam en wat eruit ging verschillen.',
    doubts: (doubts) => `Niet alles is bekend: ${doubts}. Onder Apparaten geef je aan waar elk zit.`,
    silent: 'een meter zweeg',
    fromNowhere: 'er is iets teruggeleverd dat geen apparaat hier opwekt',
    otherTimes: 'een apparaat meldt een tijd waarin een ander zweeg of er nog niet was',
  },
  swaps: {
    title: 'Is een meter vervangen?',
    fell: (location: string, before: string, after: string, at: string) =>
      `**${location}**: de stand daalde op ${at} van ${before} naar ${after}. Is de meter vervangen?`,
    leapt: (location: string, before: string, after: string, at: string) =>
      `**${location}**: de stand sprong op ${at} van ${before} naar ${after}. Is de meter vervangen?`,
    yes: 'Ja, vervangen',
    no: 'Nee, negeer deze metingen',
    /** Of the edit that excludes them. */
    reason: 'Niet vervangen: foute metingen',
  },
  heat: {
    label: 'Verbruik per weekdag en uur',
    weekday: 'Weekdag',
    most: (weekday, hour, energy, weeks) =>
      `Het meest wordt verbruikt op ${weekday} om ${hour}, gemiddeld ${energy}: gemiddelden van de laatste ${plural(weeks, { one: '# week', other: '# weken' })}.`,
  },
};
