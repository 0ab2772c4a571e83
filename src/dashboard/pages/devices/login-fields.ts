import { type Children, html } from '../../html.ts';
import { Copy } from '../../parts/ui.ts';
import type { ServiceAddress } from './service-address.ts';

/** Where to connect and as whom. `children`: more of the list. */
export const LoginFields = (props: {
  address: ServiceAddress;
  username: string;
  password: string;
  children?: Children;
}) => html`
  <dl class="facts">
    <dt>MQTT host</dt>
    <dd><code>${props.address.host}</code></dd>
    <dt>Ports</dt>
    <dd>${props.address.tlsPort} with TLS; ${props.address.plainPort} without, on the service’s own machine only ${props.address.isKnown ? '' : html`<span class="quiet">(of the broker that the service uses: ask its operator)</span>`}</dd>
    <dt>Username</dt>
    <dd><code>${props.username}</code></dd>
    ${props.children}
    <dt>Password</dt>
    <dd><${Copy} text=${props.password} label="Password" /></dd>
  </dl>`;
