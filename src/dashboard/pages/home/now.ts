import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { Period, RecentPower } from '#src/api/dashboard/shapes.ts';
import { appendQuery, callApi } from '../../api.ts';
import { html } from '../../html.ts';
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

/**
 * Current power of the home, with a line chart of the last ten minutes. If the power is not measured, shows the average of the last
 * minutes. `onStale` is called when the newest measured power is more than a minute old.
 */
export function CurrentPowerCard({ of, onStale }: { of: Period; onStale: () => void }) {
  const { power } = of;
  const w = words().period;
  const nowMs = useCurrentTimeMs();
  const { live, trail, offsetMs } = useLivePower(of.user_id);
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

/**
 * Returns the latest power that the service has sent, with the browser's time of receipt, and the powers of the last ten minutes.
 * `offsetMs`: how far the service's clock is ahead of the browser's.
 */
function useLivePower(userId: string) {
  const [state, setState] = useState<{ live: Point | null; trail: Point[]; offsetMs: number }>(NOTHING);
  useEffect(() => setState(NOTHING), [userId]);
  const add = useCallback((data: string) => {
    const { power_w } = JSON.parse(data) as { power_w: number };
    setState(({ trail, offsetMs }) => {
      const point = { atMs: Date.now() + offsetMs, watts: power_w };
      const recent = trail.filter(({ atMs }) => atMs > point.atMs - TRAIL_MS);
      return { live: { atMs: Date.now(), watts: power_w }, trail: [...recent, point], offsetMs };
    });
  }, []);
  // Loads the values that were measured before the connection was opened.
  const load = useCallback(() => {
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
  useServerEvents(appendQuery('/dashboard/v1/usage/stream', { user_id: userId }), { power: add }, load);
  return state;
}

const NOTHING: { live: Point | null; trail: Point[]; offsetMs: number } = { live: null, trail: [], offsetMs: 0 };

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
