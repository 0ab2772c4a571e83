import type { Remark } from '#src/api/dashboard/shapes.ts';
import { count, dateFormat } from '../words/locale.ts';
import { words } from '../words/words.ts';
import { formatKwh, formatMoneyAmount } from './format.ts';

/** Texts of a remark (a notice about unusual usage of a home). */
interface RemarkText {
  subject: string;
  sentence: string;
  /** Paragraphs of explanation and advice. */
  more: string[];
}

export const formatWholeWatts = (value: number): string => `${count(Math.round(value))} W`;
const HOURS_OF_A_DAY = 24;

/** Returns the texts of a remark for the Home page and for mails. `zone`: time zone of times in the texts. */
export function describeRemark(remark: Remark, zone: string): RemarkText {
  const { subjects, ...w } = words().home.plainWords;
  const at = (iso: string) => formatTimeInZone(iso, zone);
  switch (remark.kind) {
    case 'stays_on': {
      const perDay = ((remark.least_w - remark.usual_w) * HOURS_OF_A_DAY) / 1_000;
      return {
        subject: subjects.staysOn,
        sentence: w.staysOn({
          least: formatWholeWatts(remark.least_w),
          usual: formatWholeWatts(remark.usual_w),
          since: at(remark.since),
        }),
        more: [
          w.staysOnCost({ perDay: formatKwh(perDay) }),
          remark.location === null ? w.staysOnLook : w.staysOnDevice({ location: remark.location }),
        ],
      };
    }
    case 'night_rose':
      return {
        subject: subjects.nightRose,
        sentence: w.nightRose({ quiet: formatWholeWatts(remark.quiet_w), usual: formatWholeWatts(remark.usual_w) }),
        more: [w.nightRoseLook],
      };
    case 'device_uses_more': {
      const { location } = remark;
      return {
        subject: subjects.deviceUsesMore({ location }),
        sentence: w.deviceUsesMore({ location, energy: formatKwh(remark.kwh), usual: formatKwh(remark.usual_kwh) }),
        more: [w.deviceUsesMoreLook],
      };
    }
    case 'production_missing': {
      const sentence = remark.is_silent ? w.productionSilent : w.productionMissing;
      return {
        subject: subjects.productionMissing,
        sentence: sentence({ since: at(remark.since), expected: formatKwh(remark.expected_kwh) }),
        more: [w.productionMissingLook],
      };
    }
    case 'unusual_day':
      return {
        subject: subjects.unusualDay({ date: formatDayName(remark.date) }),
        sentence: w.unusualDay({
          date: formatDayName(remark.date),
          energy: formatKwh(remark.kwh),
          usual: formatKwh(remark.usual_kwh),
          weekday: weekdayOf(remark.date),
        }),
        more: [],
      };
    case 'cheaper_tariff': {
      const { name, currency, would_have_paid, paid, start, end } = remark;
      const [would, did] = [formatMoneyAmount(would_have_paid, currency), formatMoneyAmount(paid, currency)];
      return {
        subject: subjects.cheaperTariff,
        sentence: w.cheaperTariff({ name, would, paid: did, start: formatDayName(start), end: formatDayName(end) }),
        more: [w.cheaperTariffLook],
      };
    }
  }
}

export const formatTimeInZone = (iso: string, timeZone: string): string =>
  dateFormat({
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone,
  }).format(new Date(iso));

export const formatDayName = (date: string): string =>
  dateFormat({
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    timeZone: 'UTC',
  }).format(new Date(date));
const weekdayOf = (date: string): string => dateFormat({ weekday: 'long', timeZone: 'UTC' }).format(new Date(date));

/** Returns the texts of a mail about a remark. `zone`: time zone of times in the texts. */
export function composeRemarkMail(remark: Remark, zone: string) {
  const { look, off, reason } = words().home.plainWords.mail;
  const { subject, sentence, more } = describeRemark(remark, zone);
  return { subject, sentences: [sentence, ...more], look, off, reason };
}
