import type { PairedDevice } from '#clients/typescript/client.ts';
import { html } from '../../html.ts';
import { rich } from '../../parts/rich.ts';
import { Copy } from '../../parts/ui.ts';
import { useSession } from '../../session.ts';
import { words } from '../../words/words.ts';
import type { DeviceLogin as Login } from './device.ts';
import { examplePayload, publishLines } from './device-snippets.ts';
import { LoginFields } from './login-fields.ts';
import { serviceAddress } from './service-address.ts';

/** The credentials of a device that was just paired, and what to do with them. */
export function DeviceLogin({ paired, login }: { paired: PairedDevice; login: Login }) {
  const w = words().devices.pairing;
  const address = serviceAddress(location.hostname, useSession().mqtt);
  const payload = examplePayload(paired.type);
  const { plain, tls } = publishLines(login, payload, address);
  const trust = address.needsCertificate && html`<p class="quiet">${rich(w.trust)}</p>`;
  return html`
    <${LoginFields} address=${address} username=${login.username} password=${login.password}>
      <dt>${w.topic}</dt>
      <dd><code>${login.topic}</code></dd>
    <//>
    <h3>${w.message}</h3>
    <${Copy} text=${payload} label=${w.messageLabel} />
    <p class="quiet">${rich(w.messageAbout)}</p>
    <h3>${w.tryIt}</h3>
    <${Copy} text=${plain ?? tls} label=${w.line} />
    ${
      plain
        ? html`<details class="more">
            <summary>${w.withTls}</summary>
            <${Copy} text=${tls} label=${w.lineWithTls} />
            ${trust}
          </details>`
        : trust
    }
    <p class="quiet">${rich(w.install)}</p>
  `;
}
