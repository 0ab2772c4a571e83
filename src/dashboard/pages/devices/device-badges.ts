import type { Device } from '#clients/typescript/client.ts';
import { html } from '../../html.ts';
import { Badge } from '../../parts/ui.ts';
import { words } from '../../words/words.ts';
import { listOpenQuestions, STATUS_BADGES } from './device.ts';

/** Badges for the status of a device, and for open questions to its owner. */
export function DeviceBadges({ of: device }: { of: Device }) {
  const { common, devices: w } = words();
  return html`<span title=${w.states[device.status]}><${Badge} kind=${STATUS_BADGES[device.status]}>${common.statuses[device.status]}<//></span>${listOpenQuestions(
    device,
    false,
  ).map(({ word, meaning }) => html` <span title=${meaning}><${Badge} kind="warn">${word}<//></span>`)}`;
}
