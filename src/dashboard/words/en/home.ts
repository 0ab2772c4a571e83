import { plural } from '../locale.ts';

export const home = {
  lastReading: 'Last reading',
  timesIn: (zone: string) => `Times in ${zone}.`,
  addTariff: 'What does it cost? Add your tariff',
  live: 'live',
  notLive: 'not live',
  waiting: 'waiting for readings',
  commodities: { gas: 'Gas', heat: 'Heat', water: 'Water' },
  allMeasured: 'all measured',
  figure: {
    opens: (name: string, shown: string) => `${name}: ${shown}. What it is made of`,
    title: (name: string) => `${name}: what it is made of`,
    usedOn: (energy: string, day: string) => `**${energy}** used on ${day}:`,
    usedFrom: (energy: string, start: string, end: string) => `**${energy}** used from ${start} to ${end}:`,
    parts: (measured: string, estimated: string) => `${measured} measured, ${estimated} estimated.`,
    known: (share: string) => `${share} of the time is known.`,
    knownSoFar: (share: string) => `${share} of the time is known; today is not over.`,
    whyEstimated:
      'Estimated: a register was silent for more than an hour. How much flowed is certain, in which of these hours is not.',
    in: 'In',
    out: 'Out',
    estimated: 'Estimated',
    notCounted: 'Not counted, and why',
    readings: (count: number) => plural(count, { one: 'One reading', other: '# readings' }),
    refused: (readings: string, reason: string) => `${readings} refused: ${reason}`,
    /** What became of a reading that was not plainly counted. */
    notes: {
      held: 'held: implausible, until the next ones say what it was',
      glitch: 'left out: implausible, and the next one fitted the one before',
      late: 'late news: what came at once was spread over the time that it tells of',
      back: 'left out: the next ones fitted those before it',
      reset: 'after a reset: counted from zero',
      rollover: 'after a rollover: counted across it',
      swap: 'of another meter: a new baseline, nothing counted over the step',
      overlap: 'left out: it overlaps another interval',
    },
  },
  flows: {
    title: 'Energy flow',
    production: 'Produced',
    gridImport: 'From the grid',
    discharged: 'From the battery',
    gridExport: 'Fed into the grid',
    charged: 'Into the battery',
    consumption: 'Measured by individual devices',
    untracked: 'Untracked',
    used: 'Used',
    autarky: 'Self-sufficient',
    unequal: 'No diagram: measured inflow and outflow differ.',
    doubts: (doubts: string) =>
      `Part of the flow is unknown: ${doubts}. On the Devices page, set the place of each device.`,
    silent: 'a meter was silent',
    fromNowhere: 'energy was fed in that no device of the home produced',
    otherTimes: 'one device reported while another was silent or not yet installed',
  },
  swaps: {
    title: 'Was a meter replaced?',
    fell: (location: string, before: string, after: string, at: string) =>
      `**${location}**: the reading fell from ${before} to ${after} on ${at}. Was the meter replaced?`,
    leapt: (location: string, before: string, after: string, at: string) =>
      `**${location}**: the reading leapt from ${before} to ${after} on ${at}. Was the meter replaced?`,
    yes: 'Yes, replaced',
    no: 'No, ignore these readings',
    /** Of the edit that excludes them. */
    reason: 'Not replaced: false readings',
  },
  heat: {
    label: 'Usage by weekday and hour',
    weekday: 'Weekday',
    most: (weekday: string, hour: string, energy: string, weeks: number) =>
      `Most is used on ${weekday} at ${hour}, on average ${energy}: means of the last ${plural(weeks, { one: '# week', other: '# weeks' })}.`,
  },
};
