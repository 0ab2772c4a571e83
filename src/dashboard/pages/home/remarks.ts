import type { Remarks as Answer, Remark } from '#src/api/dashboard/shapes.ts';
import { callApi, withQuery } from '../../api.ts';
import { html } from '../../html.ts';
import { kwh, money } from '../../parts/format.ts';
import { useLoad } from '../../parts/load.ts';
import { Card } from '../../parts/ui.ts';
import { count, dateFormat } from '../../words/locale.ts';
import { words } from '../../words/words.ts';

/** Remarks on an account's home, each with its comparison; empty if there are none. `hour`: reloads when the hour changes. */
export function Remarks({ userId, hour }: { userId: string; hour: string }) {
  const ask = () => callApi<Answer>('GET', withQuery('/v1/remarks', { user_id: userId }));
  const answer = useLoad(ask, [userId, hour]).value;
  if (!answer || answer.remarks.length === 0) return null;
  return html`<${Card} title=${words().home.plainWords.title}>
    <ul class="remarks">${answer.remarks.map((remark) => html`<${One} key=${keyOf(remark)} remark=${remark} zone=${answer.timezone} />`)}</ul>
  <//>`;
}

const keyOf = (remark: Remark): string => `${remark.kind} ${'device_id' in remark ? remark.device_id : ''}`;

function One({ remark, zone }: { remark: Remark; zone: string }) {
  const { sentence, more, compared } = said(remark, zone);
  return html`<li>
    <p>${sentence}</p>
    ${more.length > 0 && html`<p class="quiet">${more.join(' ')}</p>`}
    ${compared && html`<${Compared} of=${sentence} ...${compared} />`}
  </li>`;
}

/** A remark in words, with its comparison. */
interface Said {
  sentence: string;
  /** Explanation and advice. */
  more: string[];
  compared: {
    column: string;
    values: ComparedValue[];
    usual: number;
    unit: (value: number) => string;
  } | null;
}

const watts = (value: number): string => `${count(Math.round(value))} W`;
const HOURS_OF_A_DAY = 24;

/** Returns a remark in words. `zone`: time zone of its times. */
function said(remark: Remark, zone: string): Said {
  const { compared: c, ...w } = words().home.plainWords;
  const at = (iso: string) => timeIn(iso, zone);
  const upTo = (iso: string) => c.upTo({ time: at(iso) });
  switch (remark.kind) {
    case 'stays_on': {
      const perDay = ((remark.least_w - remark.usual_w) * HOURS_OF_A_DAY) / 1_000;
      return {
        sentence: w.staysOn({ least: watts(remark.least_w), usual: watts(remark.usual_w), since: at(remark.since) }),
        more: [
          w.staysOnCost({ perDay: kwh(perDay) }),
          remark.location === null ? w.staysOnLook : w.staysOnDevice({ location: remark.location }),
        ],
        compared: ofWatts(remark, c.level, upTo),
      };
    }
    case 'night_rose':
      return {
        sentence: w.nightRose({ quiet: watts(remark.quiet_w), usual: watts(remark.usual_w) }),
        more: [w.nightRoseLook],
        compared: ofWatts(remark, c.quiet, upTo),
      };
    case 'device_uses_more':
      return {
        sentence: w.deviceUsesMore({
          location: remark.location,
          energy: kwh(remark.kwh),
          usual: kwh(remark.usual_kwh),
        }),
        more: [w.deviceUsesMoreLook],
        compared: ofEnergy(remark.compared, remark.usual_kwh, c.used, upTo),
      };
    case 'production_missing': {
      const sentence = remark.is_silent ? w.productionSilent : w.productionMissing;
      return {
        sentence: sentence({ since: at(remark.since), expected: kwh(remark.expected_kwh) }),
        more: [w.productionMissingLook],
        compared: ofEnergy(remark.compared, middleOf(remark.compared), c.made, upTo),
      };
    }
    case 'unusual_day': {
      const rows = [...remark.compared, { date: remark.date, kwh: remark.kwh }];
      const values = rows.map((one) => ({ name: dayOf(one.date), value: one.kwh }));
      return {
        sentence: w.unusualDay({
          date: dayOf(remark.date),
          energy: kwh(remark.kwh),
          usual: kwh(remark.usual_kwh),
          weekday: weekdayOf(remark.date),
        }),
        more: [],
        compared: { column: c.used, values, usual: remark.usual_kwh, unit: kwh },
      };
    }
    case 'cheaper_tariff': {
      const { name, currency, would_have_paid, paid, start, end } = remark;
      const [would, did] = [money(would_have_paid, currency), money(paid, currency)];
      return {
        sentence: w.cheaperTariff({ name, would, paid: did, start: dayOf(start), end: dayOf(end) }),
        more: [w.cheaperTariffLook],
        compared: null,
      };
    }
  }
}

const ofWatts = (
  { compared, usual_w }: Extract<Remark, { usual_w: number }>,
  column: string,
  upTo: (iso: string) => string,
): Said['compared'] => ({
  column,
  values: compared.map(({ at, watts: value }) => ({ name: upTo(at), value })),
  usual: usual_w,
  unit: watts,
});

const ofEnergy = (
  compared: readonly { at: string; kwh: number }[],
  usual: number,
  column: string,
  upTo: (iso: string) => string,
): Said['compared'] => ({
  column,
  values: compared.map(({ at, kwh: value }) => ({ name: upTo(at), value })),
  usual,
  unit: kwh,
});

const middleOf = (rows: readonly { kwh: number }[]): number =>
  rows.map((row) => row.kwh).toSorted((a, b) => a - b)[Math.floor(rows.length / 2)] ?? 0;

const timeIn = (iso: string, timeZone: string): string =>
  dateFormat({
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone,
  }).format(new Date(iso));

const dayOf = (date: string): string =>
  dateFormat({
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    timeZone: 'UTC',
  }).format(new Date(date));
const weekdayOf = (date: string): string => dateFormat({ weekday: 'long', timeZone: 'UTC' }).format(new Date(date));

/** One of the compared values. */
interface ComparedValue {
  name: string;
  value: number;
}

const HEIGHT = 60;
const STEP = 10;

/** The value of a remark and the values it is compared with, as a chart and a table. The value of the remark comes last. */
function Compared(props: {
  of: string;
  column: string;
  values: readonly ComparedValue[];
  usual: number;
  unit: (value: number) => string;
}) {
  const { of, column, values, usual, unit } = props;
  const { compared: w } = words().home.plainWords;
  const last = values.length - 1;
  const most = Math.max(...values.map(({ value }) => value), 1e-9);
  const told = w.picture({ count: last, usual: unit(usual), now: unit(values[last]?.value ?? 0) });
  return html`<details class="evidence">
    <summary aria-label=${w.titleOf({ remark: of })}>${w.title}</summary>
    <svg role="img" aria-label=${told} viewBox=${`0 0 ${values.length * STEP} ${HEIGHT}`} preserveAspectRatio="none">
      ${values.map(({ value }, place) => {
        const height = Math.max(1, (HEIGHT * value) / most);
        return html`<rect x=${place * STEP + 1} y=${HEIGHT - height} width=${STEP - 2} height=${height} class=${place === last ? 'marked' : ''} />`;
      })}
    </svg>
    <table>
      <thead><tr><th scope="col">${w.when}</th><th scope="col">${column}</th></tr></thead>
      <tbody>${values.map(({ name, value }, place) => html`<tr><th scope="row">${place === last ? w.thisOne({ name }) : name}</th><td>${unit(value)}</td></tr>`)}</tbody>
    </table>
  </details>`;
}
