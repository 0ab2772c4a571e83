import { plural } from '../locale.ts';

/** What there is to say of a home, and of its month. */
export const plainWords = {
  title: 'Worth knowing',
  staysOn: (least: string, usual: string, since: string) =>
    `Something stays on: since ${since} your home has never used less than ${least}. In its quietest quarter-hours it usually uses ${usual}.`,
  staysOnCost: (perDay: string) => `If it goes on, that is ${perDay} more a day.`,
  staysOnDevice: (location: string) => `Most of it is ${location}.`,
  staysOnLook: 'A fridge whose door is not shut, a heater that was left on, or something new that runs all day?',
  nightRose: (quiet: string, usual: string) =>
    `Your nights use more than they did: ${quiet} in their quietest two hours, which were ${usual} in the four weeks before.`,
  nightRoseLook: 'A fridge or freezer that hardly stops any more, or a device that was left on standby?',
  deviceUsesMore: (location: string, energy: string, usual: string) =>
    `${location} used ${energy} in the last 24 hours. It is ${usual} on nearly every other day.`,
  deviceUsesMoreLook: 'Of a fridge or freezer: is its door shut, its seal whole, and does it ice up?',
  productionMissing: (since: string, expected: string) =>
    `Your panels have made nothing since ${since}. Even on a poor day it would be ${expected} by now.`,
  productionSilent: (since: string, expected: string) =>
    `Nothing has been heard of your panels since ${since}. Even on a poor day they would have made ${expected} by now.`,
  productionMissingLook: 'Look at the inverter. Snow on the panels looks the same from here.',
  unusualDay: (date: string, energy: string, usual: string, weekday: string) =>
    `${date} was unusual for a ${weekday}: ${energy}, where it usually is ${usual}.`,
  cheaperTariff: (name: string, would: string, paid: string, start: string, end: string) =>
    `With “${name}” you would have paid ${would} rather than ${paid} from ${start} to ${end}.`,
  cheaperTariffLook: 'Reckoned with what you used in each quarter-hour, as if that tariff had held all the time.',
  compared: {
    title: 'What it is compared with',
    titleOf: (remark: string) => `What it is compared with: ${remark}`,
    when: 'When',
    level: 'Least use',
    quiet: 'Quietest two hours',
    used: 'Used',
    made: 'Made',
    upTo: (time: string) => `day up to ${time}`,
    thisOne: (name: string) => `${name} (this one)`,
    picture: (count: number, usual: string, now: string) =>
      `${plural(count, { one: '# day before', other: '# days before' })}, mostly ${usual}; this one ${now}`,
  },
  forecast: {
    title: 'This month’s end',
    expected: (energy: string) => `About **${energy}** by the end of the month.`,
    range: (low: string, high: string, percent: string) =>
      `In ${percent} of 100 months it will be between ${low} and ${high}.`,
    cost: (cost: string, low: string, high: string) => `That costs about **${cost}**, between ${low} and ${high}.`,
    soFar: (energy: string, days: number) =>
      plural(days, { one: `${energy} so far; # day is over.`, other: `${energy} so far; # days are over.` }),
    wasOff: (share: string, months: number) =>
      plural(months, {
        one: `Said on this day of an earlier month, it was off by ${share}.`,
        other: `Said on this day of your last # months, it was off by ${share} on average.`,
      }),
    noPast: 'How well it does for your home is known after its first whole months.',
    evidence: 'What it would have said before',
    month: 'Month',
    said: 'It would have said',
    cameTo: 'It came to',
    off: 'Off by',
    lastYear: 'Same month a year before: off by',
  },
};
