import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { Period, RecentPower } from '#src/api/dashboard/shapes.ts';
import { callApi, withQuery } from '../../api.ts';
import { html } from '../../html.ts';
import { useServerEvents } from '../../parts/changes.ts';
import { formatWatts } from '../../parts/format.ts';
import { useCurrentTimeMs } from '../../parts/ui.ts';
import { words } from '../../words/words.ts';

/** Time, in ms, for which a measured power counts as current. The service uses the same time. */
const FRESH_MS = 60_000;
const TRAIL_MS = 10 * 60_000;
/** Width and height of the sparkline in its own units, which scale with the page. */
const [WIDTH, HEIGHT] = [100, 24];

/** Measured power at a time of the service's clock (Unix ms). Null if power was not measured. */
interface Point {
  atMs: number;
  watts: number | null;
}

/**
 * Current power of the home, with a sparkline of the last ten minutes. If power is not measured, shows the average of the last minutes,
 * labelled as such. `onStale`: called when the measured power of the page's data is over a minute old.
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
 * Returns the latest streamed power with its time of receipt by the browser's clock, and the powers of the last ten minutes by the
 * service's clock. `offsetMs`: time by which the service's clock is ahead.
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
  // Loads the powers that were measured before the stream was connected, or while the stream was interrupted.
  const load = useCallback(() => {
    callApi<RecentPower>('GET', withQuery('/v1/power', { user_id: userId })).then(
      ({ now, trail }) => {
        const points = trail.map((one) => ({ atMs: Date.parse(one.at), watts: one.watts }));
        setState((state) => {
          const later = state.trail.filter(({ atMs }) => atMs > Date.parse(now));
          return { ...state, offsetMs: Date.parse(now) - Date.now(), trail: [...points, ...later] };
        });
      },
      // If loading the earlier powers fails, the sparkline starts at the next streamed power.
      () => {},
    );
  }, [userId]);
  useServerEvents(withQuery('/dashboard/v1/usage/stream', { user_id: userId }), { power: add }, load);
  return state;
}

const NOTHING: { live: Point | null; trail: Point[]; offsetMs: number } = { live: null, trail: [], offsetMs: 0 };

/** Sparkline of the power in the last ten minutes, from 0 W upwards. The lowest and highest power are text below. */
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

/**
 * Returns the SVG path of the sparkline. Each power lasts until the next one, but for at most a minute. Times without a measurement are
 * gaps.
 */
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
