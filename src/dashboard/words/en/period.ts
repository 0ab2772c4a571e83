import { plural } from '../locale.ts';

/** Home and the page of a device: a day, week, month or year. */
export const period = {
  choose: 'Period',
  units: { day: 'Day', week: 'Week', month: 'Month', year: 'Year' },
  previous: { day: 'The day before', week: 'The week before', month: 'The month before', year: 'The year before' },
  next: { day: 'The day after', week: 'The week after', month: 'The month after', year: 'The year after' },
  goTo: 'Go to a date',
  used: 'Used',
  usedSoFar: 'Used so far',
  produced: 'Produced',
  producedSoFar: 'Produced so far',
  cost: 'Cost',
  now: 'Now',
  average: 'Average power',
  /** Of a power. */
  lastMinutes: (low: string, high: string) => `Last 10 minutes: lowest ${low}, highest ${high}.`,
  nowMean: (minutes: number) =>
    plural(minutes, { one: 'mean of the last minute', other: 'mean of the last # minutes' }),
  before: { day: 'A week before', week: 'The week before', month: (weeks: number) => `${weeks} weeks before` },
  lastYear: 'A year before',
  /** Of what is looked at, beside what it is compared with. */
  less: (share: string) => `${share} less than then`,
  more: (share: string) => `${share} more than then`,
  same: 'as much as then',
  /** If money moved otherwise than energy. */
  energyChange: (change: string) => `Energy: ${change}`,
  costChange: (change: string) => `Cost: ${change}`,
  partKnown: (share: string) => `only ${share} of it known`,
  likeWithLike: 'Compared with as many days, on the same weekdays, up to the same time of day.',
  base: 'Always on',
  baseAYear: (energy: string) => `${energy} a year`,
  baseCost: (money: string) => `about ${money} a year`,
  ownUsed: (energy: string) => `${energy} of your own energy used`,
  stored: (energy: string) => `${energy} stored in the battery`,
  load: 'Load over the day',
  typicalDay: (days: number) => `A day of it, on average (${plural(days, { one: '# day', other: '# days' })})`,
  byDay: 'Usage by day',
  byMonth: 'Usage by month',
  peak: 'peak',
  peakAt: (power: string, at: string) => `Highest quarter-hour: **${power}**, ${at}.`,
  baseLine: (power: string) => `The dashed line is what is always on: ${power}.`,
  whatUses: 'What uses it',
  share: 'Share',
  night: 'At night',
  nightHours: 'Mean from 0 to 5 o’clock',
  nightMost: (device: string, power: string, energy: string) =>
    `At night the device that draws most is **${device}**: ${power} on average, ${energy} a year.`,
  nightMostCost: (device: string, power: string, energy: string, money: string) =>
    `At night the device that draws most is **${device}**: ${power} on average, ${energy} and about ${money} a year.`,
  nightUnexplained: (power: string, energy: string) =>
    `At night your home draws **${power}** on average, ${energy} a year. No device with its own meter explains it.`,
  profileOf: (days: number) =>
    `Always on: lowest steady two hours of a day. At night: mean from 0 to 5 o’clock. Both of the last ${days} days.`,
  untrackedAbout: 'no device measures it',
  behind: (device: string) => `part of ${device}`,
  gone: 'removed',
  others: 'Meters and sources',
  in: 'In',
  out: 'Out',
  noConsumers:
    'No device measures a single consumer yet. A smart plug or a circuit’s meter shows what a part of the home uses: [pair one].',
  climateOf: (device: string) => `Temperature and heating: ${device}`,
  noClimate: 'It reported nothing in this period.',
  week: 'When most is used',
  commodities: { before: 'Before', lastYear: 'A year before' },
  firstSteps: {
    title: 'Three steps to your first figures',
    steps: [
      '[Pair a device]: your meter, a reader at it, or a smart plug. You get what it needs to log in.',
      'It sends its first reading: you see it here within seconds.',
      '[Add your tariff], and every figure has its price.',
    ],
    ofOther: (email: string) => `${email} has no devices yet. [Pair one], and its usage appears here.`,
  },
  waiting: {
    title: 'No reading has come yet',
    about:
      'The paired devices have not sent a reading that counts. [Open your devices]: the list shows when each was last seen, and what it needs.',
  },
  thermostatOnly:
    'No meter measures what this home uses; below are the thermostat’s readings. [Pair a meter] or a smart plug to see usage and cost as well.',
  nothingThen: (first: string) => `There are no readings for this period. The first ones are from [${first}].`,
  /** Of a period under way; the name is that of the one before. */
  nothingSoFar: (before: string) => `There are no readings for this period yet. Look at [${before}].`,
  nothing: 'There are no readings for this period.',
  settings: 'Settings',
  ofHome: 'Home',
  offline: (ago: string) => `No network. This was seen ${ago}.`,
};
