import type { RemarkBody } from '#src/events/remark.ts';
import type { Remark } from './home-remarks.ts';

const iso = (ms: number): string => new Date(ms).toISOString();
const lasting = ({ sinceMs, untilMs }: { sinceMs: number; untilMs: number }) => ({
  since: iso(sinceMs),
  until: iso(untilMs),
});
/** Rounds kWh to whole Wh, because responses contain no smaller units. */
const wholeWh = (kwh: number): number => Math.max(0, Math.round(kwh * 1_000)) / 1_000;
const wattsAt = ({ atMs, watts }: { atMs: number; watts: number }) => ({ at: iso(atMs), watts: Math.round(watts) });
const kwhAt = ({ atMs, kwh }: { atMs: number; kwh: number }) => ({ at: iso(atMs), kwh: wholeWh(kwh) });

/** Converts a remark to the format of responses and events. */
export function remarkToResponse(remark: Remark): RemarkBody {
  switch (remark.kind) {
    case 'stays_on': {
      const { kind, leastW, usualW, deviceId, location, compared } = remark;
      const levels = { least_w: Math.round(leastW), usual_w: Math.round(usualW), compared: compared.map(wattsAt) };
      return { kind, ...lasting(remark), device_id: deviceId, location, ...levels };
    }
    case 'night_rose': {
      const { kind, quietW, usualW, compared } = remark;
      return {
        kind,
        ...lasting(remark),
        quiet_w: Math.round(quietW),
        usual_w: Math.round(usualW),
        compared: compared.map(wattsAt),
      };
    }
    case 'device_uses_more': {
      const { kind, deviceId, location, kwh, usualKwh, compared } = remark;
      const energy = { kwh: wholeWh(kwh), usual_kwh: wholeWh(usualKwh), compared: compared.map(kwhAt) };
      return { kind, ...lasting(remark), device_id: deviceId, location: location ?? '', ...energy };
    }
    case 'production_missing': {
      const { kind, expectedKwh, isSilent, compared } = remark;
      const made = { expected_kwh: wholeWh(expectedKwh), is_silent: isSilent, compared: compared.map(kwhAt) };
      return { kind, ...lasting(remark), ...made };
    }
    case 'unusual_day': {
      const { kind, date, weekday, kwh, usualKwh, compared } = remark;
      const days = compared.map((one) => ({ date: one.date, kwh: wholeWh(one.kwh) }));
      return { kind, date, weekday, kwh: wholeWh(kwh), usual_kwh: wholeWh(usualKwh), compared: days };
    }
    case 'cheaper_tariff': {
      const { tariffId, wouldHavePaid, ...rest } = remark;
      return { ...rest, tariff_id: tariffId, would_have_paid: wouldHavePaid };
    }
  }
}
