import { useState } from 'preact/hooks';
import type { Period } from '#src/api/dashboard/shapes.ts';
import { appendQuery, callApi } from '../../api.ts';
import { html } from '../../html.ts';
import { HOUR_MS } from '../../parts/format.ts';
import { LineChart } from '../../parts/lines.ts';
import { useLoad } from '../../parts/load.ts';
import { Card, LoadedContent } from '../../parts/ui.ts';
import { words } from '../../words/words.ts';
import { type ClimateHour, listClimateHours } from './device.ts';

/** Selectable lengths of the displayed time, in hours. */
const SPANS = [48, 168] as const;

/** Hourly room temperature of a thermostat. Renders nothing if the device has never reported a temperature. */
export function ClimateChart({ deviceId, type, zone }: { deviceId: string; type: string; zone: string }) {
  const w = words().devices.climate;
  const [hours, setHours] = useState<(typeof SPANS)[number]>(48);
  const usage = useLoad(async () => {
    const nowMs = Date.now();
    const date = (ms: number) => new Intl.DateTimeFormat('sv-SE', { timeZone: zone }).format(ms);
    const query = { start: date(nowMs - hours * HOUR_MS), end: date(nowMs), group_by: 'hour', tz: zone };
    const answer = await callApi<{ data: ClimateHour[] }>('GET', appendQuery(`/v1/devices/${deviceId}/usage`, query));
    return listClimateHours(answer.data, nowMs - hours * HOUR_MS, nowMs);
  }, [deviceId, hours, zone]);
  const isThermostat = type === 'thermostat';
  const isEmpty = usage.value?.every(({ temperature_c, setpoint_c }) => !temperature_c && setpoint_c == null) ?? true;
  // If there are no temperatures, only the page of a thermostat shows this section. The section then states that there are none.
  if (isEmpty && !isThermostat && hours === 48) return null;
  return html`<section aria-label=${w.title}>
    <h3>${w.title}</h3>
    <p class="actions" role="group" aria-label=${w.span}>
      ${SPANS.map(
        (span) =>
          html`<button type="button" aria-pressed=${span === hours} onClick=${() => setHours(span)}>${w.spans[span]}</button>`,
      )}
    </p>
    <${LoadedContent} of=${usage}>
      ${(rows: ClimateHour[]) =>
        isEmpty
          ? html`<p class="quiet">${w.none[hours]}</p>`
          : html`<${ClimateLines} title=${w.chart[hours]} zone=${zone} rows=${rows} />`}
    <//>
  </section>`;
}

/** Chart of the temperature, the set-point and the heating time of each hour. */
function ClimateLines({ title, zone, rows }: { title: string; zone: string; rows: ClimateHour[] }) {
  const w = words().devices.climate;
  return html`<${LineChart}
              title=${title}
              zone=${zone}
              atMs=${rows.map(({ starts_at }) => Date.parse(starts_at))}
              stepMs=${HOUR_MS}
              lines=${[
                {
                  name: w.temperature,
                  unit: '°C',
                  colour: '--accent',
                  values: rows.map((row) => row.temperature_c?.mean ?? null),
                },
                {
                  name: w.setpoint,
                  unit: '°C',
                  colour: '--warn',
                  isDashed: true,
                  values: rows.map((row) => row.setpoint_c ?? null),
                },
              ]}
              bars=${{ name: w.heating, unit: 'min', colour: '--pale', most: 60, values: rows.map((row) => row.heating_minutes ?? null) }}
            />`;
}

/** Chart of a thermostat's room temperature. It covers the same days as the load curve next to it. */
export function RoomClimateCard({ of: shown, thermostat }: { of: Period; thermostat: Period['thermostats'][number] }) {
  const w = words().period;
  const { start, end, timezone, newest_at } = shown;
  const { device_id, location } = thermostat;
  const usage = useLoad(async () => {
    const query = { start, end, group_by: 'hour', tz: timezone };
    const { data } = await callApi<{ data: ClimateHour[] }>(
      'GET',
      appendQuery(`/v1/devices/${device_id}/usage`, query),
    );
    return listClimateHours(data, 0, Number.POSITIVE_INFINITY);
  }, [device_id, start, end, timezone, newest_at?.slice(0, 15)]);
  const title = w.climateOf({ device: location });
  return html`<${Card} title=${title}>
    <${LoadedContent} of=${usage}>
      ${(rows: ClimateHour[]) =>
        rows.every(({ temperature_c, setpoint_c }) => !temperature_c && setpoint_c == null)
          ? html`<p class="quiet">${w.noClimate}</p>`
          : html`<${ClimateLines} title=${title} zone=${timezone} rows=${rows} />`}
    <//>
  <//>`;
}
