import type { FleetSilence } from '#clients/typescript/client.ts';
import { appendQuery, callApi } from '../../api.ts';
import { html } from '../../html.ts';
import { DAY_MS, formatDay, formatHourOfDay } from '../../parts/format.ts';
import { useLoad } from '../../parts/load.ts';
import { renderTable } from '../../parts/table.ts';
import { Badge, Card, LoadedContent, RelativeTime } from '../../parts/ui.ts';
import { useSession } from '../../session.ts';
import { count } from '../../words/locale.ts';
import { words } from '../../words/words.ts';

const DAYS = 7;
/** Maximum number of groups that are shown, largest first. */
const GROUPS = 8;
const HOURS = Array.from({ length: 24 }, (_, hour) => hour);
const KINDS = { outage: 'bad', gateway: 'warn', home: 'warn', device: 'quiet', habit: 'quiet' } as const;

/** Returns the dates of the last days, today included, in a time zone: oldest first, as YYYY-MM-DD. */
function lastDays(zone: string): string[] {
  const parts = new Intl.DateTimeFormat('sv-SE', { timeZone: zone }).format(new Date());
  const todayMs = Date.parse(parts);
  return Array.from({ length: DAYS }, (_, index) =>
    new Date(todayMs - (DAYS - 1 - index) * DAY_MS).toISOString().slice(0, 10),
  );
}

/** Heat map of the times at which devices fell silent, and a list of groups of devices that fell silent together. */
export function SilenceMap() {
  const { me } = useSession();
  const { fleet: w } = words();
  const days = lastDays(me.timezone);
  const query = { start: days[0], end: days.at(-1), tz: 'account', limit: GROUPS };
  const silence = useLoad(() => callApi<FleetSilence>('GET', appendQuery('/v1/fleet/silence', query)), [days[0]]);
  return html`<${Card} title=${w.map}>
    <p class="quiet">${w.mapAbout}</p>
    <${LoadedContent} of=${silence}>
      ${(known: FleetSilence) => html`
        ${known.unwatched.length > 0 && html`<p class="note">${w.unwatched}</p>`}
        ${known.data.length === 0 ? html`<p>${w.noneFell}</p>` : html`<${Drawn} days=${days} of=${known} /><${Groups} of=${known} />`}
      `}
    <//>
  <//>`;
}

/** Heat map by day and hour: the more devices fell silent, the darker the cell. Each cell also contains the number. */
function Drawn({ days, of: { data } }: { days: readonly string[]; of: FleetSilence }) {
  const { fleet: w } = words();
  const fell = new Map<string, number>();
  for (const { starts_at, devices } of data) {
    // When the clocks are set back, the two hours with the same local time share one cell.
    const cell = starts_at.slice(0, 13);
    fell.set(cell, (fell.get(cell) ?? 0) + devices);
  }
  const most = Math.max(...fell.values());
  const cellOf = (day: string, hour: number) => {
    const devices = fell.get(`${day}T${String(hour).padStart(2, '0')}`) ?? 0;
    // The shade is logarithmic, so that one silent device is visible next to an outage of all devices.
    const share = devices === 0 ? 0 : Math.round(20 + (80 * Math.log(devices)) / Math.log(Math.max(2, most)));
    const background = `color-mix(in srgb, var(--accent) ${Math.min(100, share)}%, var(--raised))`;
    const text = `${formatDay(day)} ${formatHourOfDay(hour)}, ${w.fell({ devices })}`;
    return html`<td style=${{ background }} title=${text}><span class="hidden">${count(devices)}</span></td>`;
  };
  return html`<div class="heat" tabindex="0" role="region" aria-label=${w.mapLabel}>
    <table>
      <thead><tr><th scope="col"><span class="hidden">${w.day}</span></th>${HOURS.map(
        (hour) => html`<th scope="col">${hour % 3 === 0 ? hour : html`<span class="hidden">${hour}</span>`}</th>`,
      )}</tr></thead>
      <tbody>${days.map(
        (day) =>
          html`<tr><th scope="row"><abbr title=${formatDay(day)}>${Number(day.slice(8))}</abbr></th>${HOURS.map((hour) => cellOf(day, hour))}</tr>`,
      )}</tbody>
    </table>
  </div>`;
}

function Groups({ of: { groups, groups_left_out } }: { of: FleetSilence }) {
  const { me } = useSession();
  const { fleet: w } = words();
  return html`<h3>${w.groups}</h3>
    ${renderTable(
      groups,
      [
        [
          words().common.what,
          ({ kind, sure }) =>
            html`<${Badge} kind=${KINDS[kind]}>${w.kinds[kind]}<//>${!sure && html` <${Badge} kind="quiet">${w.unsure}<//>`}`,
        ],
        [words().common.when, ({ last_at }) => html`<${RelativeTime} at=${last_at} zone=${me.timezone} />`],
        [w.how, ({ devices, homes }) => w.of({ devices, homes })],
        [w.again, ({ heard_again }) => count(heard_again)],
        [w.why, ({ because }) => w.reasons[because]],
      ],
      { key: ({ first_at, device_ids }) => `${first_at} ${device_ids[0]}` },
    )}
    ${groups_left_out > 0 && html`<p class="quiet">${w.left({ groups: groups_left_out })}</p>`}`;
}
