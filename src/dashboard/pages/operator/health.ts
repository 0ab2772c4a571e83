import { useEffect, useRef } from 'preact/hooks';
import type { Operator } from '#src/api/dashboard/shapes.ts';
import { call } from '../../api.ts';
import { html } from '../../html.ts';
import { useLoad } from '../../parts/load.ts';
import { Badge, Loading } from '../../parts/ui.ts';

const EVERY_MS = 5_000;
/** Silence after which somebody should look: most meters report every few seconds to every quarter of an hour. */
const LONG_SECONDS = 1_800;
const count = (value: number) => new Intl.NumberFormat().format(value);

/** Incoming readings, age of the newest one, and queues; refreshed every five seconds. */
export function Health() {
  const health = useLoad(() => call<Operator>('GET', '/v1/operator'), []);
  // The rate is what was stored between two looks.
  const before = useRef<Operator | null>(null);
  const rate = useRef<number | null>(null);
  const now = health.value;
  if (now && now !== before.current) {
    const seconds = before.current ? (Date.parse(now.at) - Date.parse(before.current.at)) / 1_000 : 0;
    if (before.current && seconds > 0) rate.current = (now.readings_stored - before.current.readings_stored) / seconds;
    before.current = now;
  }
  useEffect(() => {
    const timer = setInterval(health.again, EVERY_MS);
    return () => clearInterval(timer);
  }, [health.again]);
  return html`<${Loading} of=${health}>
    ${({ lag_seconds, waiting, rejected, devices }: Operator) => html`<dl class="figures">
      <div>
        <dt>Readings stored</dt>
        <dd class="big">${rate.current === null ? '…' : `${count(Math.max(0, Math.round(rate.current * 10) / 10))}/s`}</dd>
        <dd class="quiet">in the last ${EVERY_MS / 1_000} seconds</dd>
      </div>
      <div>
        <dt>Youngest reading</dt>
        <dd class="big">${lag_seconds === null ? '–' : duration(lag_seconds)}</dd>
        <dd>${
          lag_seconds === null
            ? html`<${Badge} kind="quiet">none yet<//>`
            : lag_seconds < LONG_SECONDS
              ? html`<${Badge} kind="good">keeping up<//>`
              : html`<${Badge} kind="bad">nothing comes in<//>`
        }</dd>
      </div>
      <div>
        <dt>Waiting</dt>
        <dd class="big">${count(waiting.deliveries + waiting.usage_changes)}</dd>
        <dd class="quiet">${count(waiting.deliveries)} deliveries, ${count(waiting.usage_changes)} changed hours,${' '}
          ${count(waiting.late_differences)} late differences, ${count(waiting.stale_days)} days to compute anew</dd>
      </div>
      <div>
        <dt>Rejected in an hour</dt>
        <dd class="big">${count(rejected.last_hour)}</dd>
        <dd class="quiet">${count(rejected.last_day)} in a day</dd>
      </div>
      <div>
        <dt>Devices</dt>
        <dd class="big">${count(devices.active)}</dd>
        <dd class="quiet">active; ${count(devices.inactive)} inactive, ${count(devices.faulty)} faulty</dd>
      </div>
    </dl>`}
  <//>`;
}

function duration(seconds: number): string {
  if (seconds < 90) return `${Math.max(0, Math.round(seconds))} s`;
  if (seconds < 5_400) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3_600)} h` : `${Math.round(seconds / 86_400)} days`;
}
