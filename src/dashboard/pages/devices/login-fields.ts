import { type Children, html } from '../../html.ts';
import { Copy } from '../../parts/ui.ts';
import { words } from '../../words/words.ts';
import { CERTIFICATE_FILE, type ServiceAddress } from './service-address.ts';

/** Where to connect and as whom. `children`: more of the list. */
export const LoginFields = (props: {
  address: ServiceAddress;
  username: string;
  password: string;
  children?: Children;
}) => html`
  <dl class="facts">
    <dt>${words().devices.login.host}</dt>
    <dd><code>${props.address.host}</code></dd>
    <dt>${words().devices.login.ports}</dt>
    <dd>${ports(props.address)}</dd>
    ${
      props.address.needsCertificate &&
      html`<dt>${words().devices.login.certificate}</dt>
        <dd>
          <a href="/certificate.pem" download=${CERTIFICATE_FILE}>${words().devices.login.download({ file: CERTIFICATE_FILE })}</a>
          ${' '}<span class="quiet">${words().devices.login.selfSigned}</span>
        </dd>`
    }
    <dt>${words().devices.login.username}</dt>
    <dd><code>${props.username}</code></dd>
    ${props.children}
    <dt>${words().devices.login.password}</dt>
    <dd><${Copy} text=${props.password} label=${words().devices.login.password} /></dd>
  </dl>`;

function ports({ tlsPort, plainPort, isPlainOpen, isKnown }: ServiceAddress): Children {
  const w = words().devices.login;
  if (!isKnown) return html`${w.withTls({ port: tlsPort })} <span class="quiet">${w.unknownPort}</span>`;
  if (isPlainOpen)
    return html`${w.alsoPlain({ tls: tlsPort, plain: plainPort })} <span class="quiet">${w.noTls}</span>`;
  return w.plainHere({ tls: tlsPort, plain: plainPort });
}
