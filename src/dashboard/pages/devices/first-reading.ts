import { useEffect, useState } from 'preact/hooks';
import type { DeviceDetails } from '#clients/typescript/client.ts';
import { call } from '../../api.ts';
import { html } from '../../html.ts';
import { rich } from '../../parts/rich.ts';
import { Badge } from '../../parts/ui.ts';
import { words } from '../../words/words.ts';

const LOOK_MS = 2_000;
/** After this time without a reading the page says where to look. */
const LONG_MS = 60_000;

/** Waits for a device to be heard, and says when it was. */
export function FirstReading({ deviceId, onHeard }: { deviceId: string; onHeard: () => void }) {
  const w = words().devices.pairing;
  const [state, setState] = useState<'waiting' | 'long' | 'heard'>('waiting');
  useEffect(() => {
    const since = Date.now();
    let timer: ReturnType<typeof setTimeout>;
    let isOver = false;
    const look = async () => {
      const device = await call<DeviceDetails>('GET', `/v1/devices/${deviceId}`).catch(() => null);
      if (isOver) return;
      if (device?.last_seen_at) {
        setState('heard');
        onHeard();
        return;
      }
      if (Date.now() - since > LONG_MS) setState('long');
      timer = setTimeout(look, LOOK_MS);
    };
    void look();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [deviceId]);
  return html`<p role="status" class="actions">
    ${
      state === 'heard'
        ? html`<${Badge} kind="good">${w.heard}<//> <span>${w.counts}</span>`
        : html`<${Badge} kind="warn">${w.waiting}<//>
            ${
              state === 'long'
                ? html`<span>${rich(w.nothingYet({ command: `npx energy rejected list --device ${deviceId}` }))}</span>`
                : html`<span class="quiet">${w.checking}</span>`
            }`
    }
  </p>`;
}
