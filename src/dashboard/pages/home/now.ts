import { createContext } from 'preact';
import { useCallback, useContext, useEffect, useRef, useState } from 'preact/hooks';
import type { Period, RecentPower } from '#src/api/dashboard/shapes.ts';
import { appendQuery, callApi } from '../../api.ts';
import { type Children, html } from '../../html.ts';
import { useServerEvents } from '../../parts/changes.ts';
import { formatWatts } from '../../parts/format.ts';
import { useCurrentTimeMs } from '../../parts/ui.ts';
import { words } from '../../words/words.ts';

/** Time in ms during which a measured power counts as current, as in the service. */
const FRESH_MS = 60_000;
const TRAIL_MS = 10 * 60_000;
/** Width and height of the line in its own units. The browser scales it to the page. */
const [WIDTH, HEIGHT] = [100, 24];

/** A measured power; null if none was measured. The time is that of the service's clock (Unix ms). */
interface Point {
  atMs: number;
  watts: number | null;
}

/** Event `reading` of the service: the latest power of a device in W, and its time. */
interface DevicePower {
  device_id: string;
  power_w: number | null;
  power_at: string | null;
}

/** The powers that the service has sent, by device and of the home. `live.atMs` is the browser's time of receipt. */
interface LivePower {
  live: Point | null;
  trail: readonly Point[];
  devices: ReadonlyMap<string, { atMs: number; watts: number }>;
  /** How far the service's clock is ahead of the browser's. */
  offsetMs: number;
}

const NOTHING: LivePower = { live: null, trail: [], devices: new Map(), offsetMs: 0 };

const LivePowerContext = createContext(NOTHING);

/** Receives the powers of a home and of its devices, for all components in `children`. `userId`: null to receive nothing. */
export function LivePowerProvider({ userId, children }: { userId: string | null; children?: Children }) {
  const power = useLivePower(userId);
  return html`<${LivePowerContext.Provider} value=${userId === null ? NOTHING : power}>${children}<//>`;
}

/** Returns the measured power in W by device. The power is null if it is more than a minute old. */
export function useDevicePowers(): ReadonlyMap<string, number | null> {
  const { devices, offsetMs } = useContext(LivePowerContext);
  const nowMs = useCurrentTimeMs() + offsetMs;
  return new Map([...devices].map(([id, { atMs, watts }]) => [id, nowMs - atMs < FRESH_MS ? watts : null]));
}

/**
 * Current power of the home, with a line chart of the last ten minutes. If the power is not measured, shows the average of the last
 * minutes. `onStale` is called when the newest measured power is more than a minute old.
 */
export function CurrentPowerCard({ of, onStale }: { of: Period; onStale: () => void }) {
  const { power } = of;
  const w = words().period;
  const nowMs = useCurrentTimeMs();
  const { live, trail, offsetMs } = useContext(LivePowerContext);
  const loaded = useRef({ power, atMs: nowMs });
  if (loaded.current.power !== power) loaded.current = { power, atMs: Date.now() };
  const isFresh = (atMs: number) => nowMs - atMs < FRESH_MS;
  const isLoadedFresh = power !== null && power.at !== null && isFresh(loaded.current.atMs);
  const measured = live && isFresh(live.atMs) ? live.watts : isLoadedFresh ? power.watts : null;
  const isStale = measured === null && power !== null && power.at !== null;
  useEffect(() => {
    if (isStale) onStale();
  }, [isStale]);
  if (measured !== null)
    return html`<div class="now">
      <dt>${w.now}</dt>
      <dd class="big">${formatWatts(measured)}</dd>
      <${Spark} of=${trail} untilMs=${nowMs + offsetMs} />
    </div>`;
  if (!power || power.minutes === null) return null;
  return html`<div class="now">
    <dt>${w.average}</dt>
    <dd class="big">${formatWatts(power.watts)}</dd>
    <dd class="quiet">${w.nowMean({ minutes: power.minutes })}</dd>
  </div>`;
}

/** Returns the latest powers that the service has sent, and the powers of the home in the last ten minutes. */
function useLivePower(userId: string | null): LivePower {
  const [state, setState] = useState(NOTHING);
  const add = useCallback((data: string) => {
    const { power_w } = JSON.parse(data) as { power_w: number };
    setState((state) => {
      const point = { atMs: Date.now() + state.offsetMs, watts: power_w };
      const recent = state.trail.filter(({ atMs }) => atMs > point.atMs - TRAIL_MS);
      return { ...state, live: { atMs: Date.now(), watts: power_w }, trail: [...recent, point] };
    });
  }, []);
  const addOfDevice = useCallback((data: string) => {
    const { device_id, power_w, power_at } = JSON.parse(data) as DevicePower;
    if (power_w === null || power_at === null) return;
    const point = { atMs: Date.parse(power_at), watts: power_w };
    setState((state) => ({ ...state, devices: new Map(state.devices).set(device_id, point) }));
  }, []);
  // Loads the values that were measured before the connection was opened.
  const load = useCallback(() => {
    if (userId === null) return;
    callApi<RecentPower>('GET', appendQuery('/v1/power', { user_id: userId })).then(
      ({ now, trail }) => {
        const points = trail.map((one) => ({ atMs: Date.parse(one.at), watts: one.watts }));
        setState((state) => {
          const later = state.trail.filter(({ atMs }) => atMs > Date.parse(now));
          return { ...state, offsetMs: Date.parse(now) - Date.now(), trail: [...points, ...later] };
        });
      },
      // If the earlier values cannot be loaded, the line begins with the next value that the service sends.
      () => {},
    );
  }, [userId]);
  const address = userId === null ? null : appendQuery('/dashboard/v1/usage/stream', { user_id: userId });
  useServerEvents(address, { power: add, reading: addOfDevice }, load);
  return state;
}

/** Line of the power in the last ten minutes, from 0 W upwards. */
function Spark({ of: points, untilMs }: { of: readonly Point[]; untilMs: number }) {
  const known = points.flatMap((point) => (point.watts === null ? [] : [point.watts]));
  if (known.length < 2) return null;
  const [low, high] = [Math.min(...known), Math.max(...known)];
  return html`<dd class="quiet small">
    <svg class="spark" viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      <path d=${stepPath(points, untilMs, high)} />
    </svg>
    ${words().period.lastMinutes({ low: formatWatts(low), high: formatWatts(high) })}
  </dd>`;
}

/** Returns the line as an SVG path. Each measured value is drawn until the next one, but for at most a minute; then there is a gap. */
function stepPath(points: readonly Point[], untilMs: number, high: number): string {
  const endMs = Math.max(untilMs, points.at(-1)?.atMs ?? 0);
  const x = (atMs: number) => Math.max(0, (WIDTH * (atMs - endMs + TRAIL_MS)) / TRAIL_MS).toFixed(2);
  const y = (power: number) => (HEIGHT - 1 - ((HEIGHT - 2) * power) / Math.max(1, high)).toFixed(2);
  let drawnMs: number | null = null;
  return points
    .map(({ atMs, watts: power }, index) => {
      if (power === null) return '';
      const begin = drawnMs === atMs ? 'L' : 'M';
      drawnMs = Math.min(points[index + 1]?.atMs ?? endMs, atMs + FRESH_MS);
      return `${begin}${x(atMs)} ${y(power)}H${x(drawnMs)}`;
    })
    .join('');
}
