import type { PairedDevice } from '#clients/typescript/client.ts';
import { html } from '../../html.ts';
import { Copy } from '../../parts/ui.ts';
import { useSession } from '../../session.ts';
import type { DeviceLogin as Login } from './device.ts';
import { examplePayload, publishLines } from './device-snippets.ts';
import { LoginFields } from './login-fields.ts';
import { serviceAddress } from './service-address.ts';

/** The credentials of a device that was just paired, and what to do with them. */
export function DeviceLogin({ paired, login }: { paired: PairedDevice; login: Login }) {
  const address = serviceAddress(location.hostname, useSession().mqtt);
  const payload = examplePayload(paired.type);
  const { plain, tls } = publishLines(login, payload, address);
  const trust =
    address.needsCertificate &&
    html`<p class="quiet"><code>--cafile</code> names the certificate that you downloaded above.</p>`;
  return html`
    <${LoginFields} address=${address} username=${login.username} password=${login.password}>
      <dt>Topic</dt>
      <dd><code>${login.topic}</code></dd>
    <//>
    <h3>A message</h3>
    <${Copy} text=${payload} label="Message" />
    <p class="quiet">One reading, or an array of them. Without <code>ts</code> (ISO 8601) the time of receipt counts.</p>
    <h3>Try it in a terminal</h3>
    <${Copy} text=${plain ?? tls} label="mosquitto_pub line" />
    ${
      plain
        ? html`<details class="more">
            <summary>With TLS</summary>
            <${Copy} text=${tls} label="mosquitto_pub line with TLS" />
            ${trust}
          </details>`
        : trust
    }
    <p class="quiet"><code>mosquitto_pub</code> comes with <code>apt-get install mosquitto-clients</code>. Tasmota, Shelly,
      Zigbee2MQTT, ESPHome and P1 readers speak a language of their own: make a gateway for them, and they are discovered.</p>
  `;
}
