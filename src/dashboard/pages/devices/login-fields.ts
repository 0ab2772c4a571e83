import { type Children, html } from '../../html.ts';
import { Copy } from '../../parts/ui.ts';
import { CERTIFICATE_FILE, type ServiceAddress } from './service-address.ts';

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
    <dd>${ports(props.address)}</dd>
    ${
      props.address.needsCertificate &&
      html`<dt>Certificate</dt>
        <dd>
          <a href="/certificate.pem" download=${CERTIFICATE_FILE}>Download ${CERTIFICATE_FILE}</a>
          ${' '}<span class="quiet">It is self-signed: for TLS, tell the device to trust it.</span>
        </dd>`
    }
    <dt>Username</dt>
    <dd><code>${props.username}</code></dd>
    ${props.children}
    <dt>Password</dt>
    <dd><${Copy} text=${props.password} label="Password" /></dd>
  </dl>`;

function ports({ tlsPort, plainPort, isPlainOpen, isKnown }: ServiceAddress): Children {
  if (!isKnown)
    return html`${tlsPort} with TLS <span class="quiet">(of the broker that the service uses: ask its operator)</span>`;
  if (isPlainOpen)
    return html`${tlsPort} with TLS; ${plainPort} without <span class="quiet">(for devices that cannot do TLS)</span>`;
  return html`${tlsPort} with TLS; ${plainPort} without, on the service’s own machine only`;
}
