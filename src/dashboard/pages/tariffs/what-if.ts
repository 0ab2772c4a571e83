import { useState } from 'preact/hooks';
import type { Tariff } from '#clients/typescript/client.ts';
import type { SelectablePriceSeries } from '#src/api/dashboard/shapes.ts';
import { html } from '../../html.ts';
import { getDayBefore } from '../../parts/format.ts';
import { Card } from '../../parts/ui.ts';
import { words } from '../../words/words.ts';
import { BatteryDialog } from './battery-dialog.ts';
import { CompareTariffDialog } from './compare-dialog.ts';

interface Days {
  start: string;
  end: string;
}

/** Returns the last twelve complete months before a day. */
export function getLastTwelveMonths(today: string): Days {
  const month = today.slice(5, 7);
  return { start: `${Number(today.slice(0, 4)) - 1}-${month}-01`, end: getDayBefore(`${today.slice(0, 7)}-01`) };
}

/**
 * Card with two questions about the last twelve complete months: would another tariff have been cheaper, and would a battery have saved
 * money?
 */
export function WhatIfCard(props: { current: Tariff | null; today: string; series: SelectablePriceSeries[] | null }) {
  const { current, today, series } = props;
  const [open, setOpen] = useState<'compare' | 'battery' | null>(null);
  const { whatIf: w } = words().tariffs;
  const days = getLastTwelveMonths(today);
  const close = () => setOpen(null);
  return html`<${Card} title=${w.title}>
    <p class="quiet">${w.about}</p>
    <p class="actions">
      <button type="button" onClick=${() => setOpen('compare')}>${w.compare.question}</button>
      <button type="button" onClick=${() => setOpen('battery')}>${w.battery.question}</button>
    </p>
    ${open === 'compare' && html`<${CompareTariffDialog} current=${current} days=${days} series=${series} onClose=${close} />`}
    ${open === 'battery' && html`<${BatteryDialog} currency=${current?.currency ?? null} days=${days} onClose=${close} />`}
  <//>`;
}
