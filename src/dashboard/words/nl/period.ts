import type { Words } from '../en.ts';
import { plural } from '../locale.ts';

export const period: Words['period'] = {
  choose: 'Periode',
  units: { day: 'Dag', week: 'Week', month: 'Maand', year: 'Jaar' },
  previous: { day: 'De dag ervoor', week: 'De week ervoor', month: 'De maand ervoor', year: 'Het jaar ervoor' },
  next: { day: 'De dag erna', week: 'De week erna', month: 'De maand erna', year: 'Het jaar erna' },
  goTo: 'Ga naar een datum',
  used: 'Verbruikt',
  usedSoFar: 'Tot nu toe verbruikt',
  produced: 'Opgewekt',
  producedSoFar: 'Tot nu toe opgewekt',
  cost: 'Kosten',
  now: 'Nu',
  average: 'Gemiddeld vermogen',
  /** Of a power. */
  lastMinutes: (low: string, high: string) => `Laatste 10 minuten: laagste ${low}, hoogste ${high}.`,
  nowMean: (minutes) =>
    plural(minutes, { one: 'gemiddelde van de laatste minuut', other: 'gemiddelde van de laatste # minuten' }),
  before: { day: 'Een week eerder', week: 'De week ervoor', month: (weeks) => `${weeks} weken eerder` },
  lastYear: 'Een jaar eerder',
  less: (share) => `${share} minder dan toen`,
  more: (share) => `${share} meer dan toen`,
  same: 'evenveel als toen',
  /** If money moved otherwise than energy. */
  energyChange: (change: string) => `Energie: ${change}`,
  costChange: (change: string) => `Kosten: ${change}`,
  partKnown: (share) => `maar ${share} ervan bekend`,
  likeWithLike: 'Vergeleken met evenveel dagen, op dezelfde weekdagen, tot hetzelfde tijdstip.',
  base: 'Altijd aan',
  baseAYear: (energy) => `${energy} per jaar`,
  baseCost: (money) => `ongeveer ${money} per jaar`,
  ownUsed: (energy) => `${energy} eigen energie verbruikt`,
  stored: (energy) => `${energy} in de batterij opgeslagen`,
  load: 'Vermogen over de dag',
  typicalDay: (days) => `Een dag ervan, gemiddeld (${plural(days, { one: '# dag', other: '# dagen' })})`,
  byDay: 'Verbruik per dag',
  byMonth: 'Verbruik per maand',
  peak: 'piek',
  peakAt: (power, at) => `Hoogste kwartier: **${power}**, ${at}.`,
  baseLine: (power) => `De streepjeslijn is wat altijd aan is: ${power}.`,
  whatUses: 'Wat het verbruikt',
  share: 'Aandeel',
  night: '’s Nachts',
  nightHours: 'Gemiddelde van 0 tot 5 uur',
  nightMost: (device, power, energy) =>
    `Het apparaat dat ’s nachts het meeste verbruikt is **${device}**: gemiddeld ${power}, ${energy} per jaar.`,
  nightMostCost: (device, power, energy, money) =>
    `Het apparaat dat ’s nachts het meeste verbruikt is **${device}**: gemiddeld ${power}, ${energy} en ongeveer ${money} per jaar.`,
  nightUnexplained: (power: string, energy: string) =>
    `’s Nachts verbruikt je huis gemiddeld **${power}**, ${energy} per jaar. Geen apart gemeten apparaat verklaart dat.`,
  profileOf: (days) =>
    `Altijd aan: de laagste gelijkmatige twee uur van een dag. ’s Nachts: gemiddelde van 0 tot 5 uur. Beide over de laatste ${days} dagen.`,
  untrackedAbout: 'geen eigen apparaat meldt het',
  behind: (device) => `deel van ${device}`,
  gone: 'verwijderd',
  others: 'Meters en bronnen',
  in: 'Afname',
  out: 'Levering',
  noConsumers:
    'Geen enkel apparaat meldt wat het verbruikt. Een slimme stekker of de meter van een groep maakt een deel ervan bekend: [koppel er een].',
  climateOf: (device) => `Temperatuur en verwarming: ${device}`,
  noClimate: 'Het meldde niets in deze tijd.',
  week: 'Wanneer het meeste wordt verbruikt',
  commodities: { before: 'Eerder', lastYear: 'Een jaar eerder' },
  firstSteps: {
    title: 'Drie stappen naar je eerste cijfers',
    steps: [
      '[Koppel een apparaat]: je meter, een lezer eraan of een slimme stekker. Je krijgt wat het nodig heeft om in te loggen.',
      'Het stuurt zijn eerste meting: je ziet die hier binnen seconden.',
      '[Voeg je tarief toe], en elk cijfer heeft zijn prijs.',
    ],
    ofOther: (email) => `${email} heeft nog geen apparaten. [Koppel er een], dan verschijnt het verbruik hier.`,
  },
  waiting: {
    title: 'Er is nog geen meting gekomen',
    about:
      'Wat gekoppeld is heeft nog niets gestuurd dat telt. [Open je apparaten]: bij elk staat wanneer het voor het laatst werd gehoord en wat het nodig heeft.',
  },
  thermostatOnly:
    'Geen meter meldt wat dit huis verbruikt; hieronder staat wat de thermostaat zegt. [Koppel een meter] of een slimme stekker, dan staan verbruik en kosten ernaast.',
  nothingThen: (first) => `Van deze tijd is niets bekend. Wat bekend is begint op [${first}].`,
  nothingSoFar: (before) => `Van deze tijd is nog niets bekend. Bekijk [${before}].`,
  nothing: 'Van deze tijd is niets bekend.',
  settings: 'Instellingen',
  ofHome: 'Overzicht',
  offline: (ago) => `Geen netwerk. Dit is gezien: ${ago}.`,
};
