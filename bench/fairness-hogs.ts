/** What a hog publishes: its payloads, how many a second (as fast as it may, where not said), and how many of them under way. */
export interface Habit {
  payload(index: number): string;
  perSecond?: number;
  underWay: number;
}

const SECOND_MS = 1_000;
const startMs = Date.now() - 90 * 86_400_000;
const elements = (count: number, of: (index: number) => object) =>
  JSON.stringify(Array.from({ length: count }, (_, index) => of(index)));

export const HOGS = {
  /** It has 20,000 channels, from before there was a limit, and names one of them. */
  'old channels': { payload: () => '{"power_w":1,"channel":"c1"}', perSecond: 5, underWay: 100 },
  /** It names channels that it may not have. */
  'new channels': {
    payload: (index) => elements(10_000, (channel) => ({ power_w: 1, channel: `n${(index % 2) * 10_000 + channel}` })),
    perSecond: 5,
    underWay: 5,
  },
  /** Single readings as fast as they go. */
  flood: {
    payload: (index) => JSON.stringify({ ts: startMs + index * SECOND_MS, energy_total_kwh: 1_000 + index / 1_000 }),
    underWay: 2_000,
  },
  /** A past of long messages as fast as it goes. */
  history: {
    payload: (index) =>
      elements(1_000, (second) => ({
        ts: startMs + (index * 1_000 + second) * SECOND_MS,
        energy_total_kwh: 1_000 + (index * 1_000 + second) / 1_000,
      })),
    underWay: 50,
  },
} satisfies Record<string, Habit>;

export type Hog = keyof typeof HOGS;
