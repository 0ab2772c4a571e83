import { html } from '../html.ts';

/** SVG paths of the icons. Each icon is a square of 24 by 24 units. */
const STROKES = {
  home: 'M3.5 11 12 4l8.5 7M6 9.5V20h12V9.5M10 20v-5.5h4V20',
  devices: 'M9 3v5m6-5v5M6 8h12v3.5a6 6 0 0 1-12 0zM12 17.5V21',
  tariffs: 'M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17ZM15.5 9a4.2 4.2 0 1 0 0 6M7 10.7h6M7 13.3h6',
  alerts: 'M6 16.5V11a6 6 0 0 1 12 0v5.5l1.5 1.5h-15zM10 20.5h4',
  account: 'M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8ZM4.5 20.5c.6-3.6 3.6-5.5 7.5-5.5s6.9 1.9 7.5 5.5',
} as const;
type IconName = keyof typeof STROKES;

/** Icon next to a text with the same meaning. Screen readers do not read the icon. */
export const Icon = ({ of }: { of: IconName }) => html`<svg
  class="icon" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true" fill="none"
  stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round"
><path d=${STROKES[of]} /></svg>`;
