import { useState } from 'preact/hooks';
import { callApi } from '../../api.ts';
import { html } from '../../html.ts';
import { useAction } from '../../parts/load.ts';
import { CopyableText, Dialog, ErrorMessage, getBusyAttributes, RelativeTime } from '../../parts/ui.ts';
import { useSession } from '../../session.ts';
import { words } from '../../words/words.ts';

/** A link that signs in another device, and its QR code as an SVG path. One unit of the path is one module (square) of the code. */
interface DeviceLink {
  url: string;
  expires_at: string;
  code: { path: string; size: number };
}

/** Width in modules of the light border that scanners need around a QR code. */
const BORDER = 4;

/**
 * Button that opens a dialog with a QR code, which signs in another device of the same person. `onClose` is called when the dialog closes.
 */
export function OtherDeviceSignInButton({ onClose }: { onClose: () => void }) {
  const { me } = useSession();
  const { sessions: w } = words();
  const { run, isBusy, error } = useAction();
  const [link, setLink] = useState<DeviceLink | null>(null);
  const create = () =>
    run(async () => {
      const { token, expires_at } = await callApi<{ token: string; expires_at: string }>('POST', '/session/link');
      // The other device must be able to reach the service at the address of this page, because the link contains it.
      const url = `${location.origin}/dashboard/sign-in#${token}`;
      setLink({ url, expires_at, code: await drawCode(url) });
    });
  const close = () => {
    setLink(null);
    onClose();
  };
  const isLocal = /^(localhost|127\.|\[::1\])/.test(location.hostname);
  return html`<p class="actions"><button type="button" ...${getBusyAttributes(isBusy)} onClick=${create}>${w.otherDevice}</button></p>
    <${ErrorMessage} text=${error} />
    ${
      link &&
      html`<${Dialog} title=${w.otherDevice} onClose=${close}>
        <p>${w.otherDeviceAbout}</p>
        ${isLocal && html`<p class="note">${w.otherDeviceLocal}</p>`}
        <svg class="qr-code" viewBox=${`0 0 ${link.code.size} ${link.code.size}`} role="img" aria-label=${w.otherDeviceCode}>
          <path d=${link.code.path} />
        </svg>
        <${CopyableText} label=${w.otherDeviceLink} text=${link.url} />
        <p class="quiet">${w.otherDeviceEnds} <${RelativeTime} at=${link.expires_at} zone=${me.timezone} /></p>
      <//>`
    }`;
}

/** Returns the dark modules (squares) of the QR code of a text, as an SVG path. */
async function drawCode(text: string): Promise<DeviceLink['code']> {
  const { encodeQR } = await import('qr');
  const modules = encodeQR(text, 'raw', { border: BORDER });
  const path = modules.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join('');
  return { path, size: modules.length };
}
