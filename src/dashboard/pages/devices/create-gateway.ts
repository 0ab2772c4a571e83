import { useState } from 'preact/hooks';
import type { CreatedGateway } from '#clients/typescript/client.ts';
import { callApi } from '../../api.ts';
import { type Children, html } from '../../html.ts';
import { readSubmittedForm, useAction } from '../../parts/load.ts';
import { ContentShownOnce, CopyableText, Dialog, Field, FormButtons, renderInlineMarkup } from '../../parts/ui.ts';
import { useSession } from '../../session.ts';
import { words } from '../../words/words.ts';
import {
  CERTIFICATE_FILE,
  formatMosquittoBridge,
  getServiceAddress,
  listDeviceSettings,
  type ServiceAddress,
} from './snippets.ts';

/** Dialog that creates a gateway for the selected account. It then shows the gateway's user name and password once. */
export function CreateGatewayDialog({ onChange, onClose }: { onChange: () => void; onClose: () => void }) {
  const { me, user } = useSession();
  const { common, devices } = words();
  const w = devices.gateways;
  const [made, setMade] = useState<CreatedGateway | null>(null);
  const { run, isBusy, error } = useAction();
  const create = (event: SubmitEvent) => {
    const name = String(readSubmittedForm(event).get('name')).trim();
    run(async () => {
      setMade(await callApi<CreatedGateway>('POST', '/v1/gateways', { user_id: user.user_id, name }));
      onChange();
    });
  };
  if (made)
    return html`<${Dialog} title=${w.of({ name: made.name })} onClose=${onClose}>
      <${GatewayLogin} mqtt=${made.mqtt} />
      <p class="actions"><button type="button" class="main" onClick=${onClose}>${common.doneCopied}</button></p>
    <//>`;
  return html`<${Dialog} title=${w.create} onClose=${onClose}>
    <form onSubmit=${create}>
      ${user.user_id !== me.user_id && html`<p class="quiet">${common.forUser({ email: user.email })}</p>`}
      <${Field} label=${common.name} hint=${w.nameHint} name="name" required maxlength="100" autocomplete="off" />
      <${FormButtons} error=${error} isBusy=${isBusy} onCancel=${onClose} />
    </form>
  <//>`;
}

function GatewayLogin({ mqtt }: { mqtt: CreatedGateway['mqtt'] }) {
  const w = words().devices.gateways;
  const address = getServiceAddress(location.hostname, useSession().mqtt);
  return html`
    <${ContentShownOnce} secret=${mqtt.password}>${renderInlineMarkup(w.copyNow)}<//>
    <${MqttLoginSettings} address=${address} username=${mqtt.username} password=${mqtt.password}>
      <dt>${w.prefix}</dt>
      <dd><code>${mqtt.topic_prefix}</code></dd>
    <//>
    <h3>${w.bridge}</h3>
    <p class="quiet">${renderInlineMarkup(w.bridgeAbout)} ${address.needsCertificate && renderInlineMarkup(w.bridgeCertificate)}</p>
    <${CopyableText} text=${formatMosquittoBridge(mqtt, address)} label="mosquitto.conf" />
    <h3>${w.withoutBroker}</h3>
    ${listDeviceSettings(mqtt, address).map(
      ({ name, text }) => html`<details class="more">
        <summary>${name}</summary>
        <${CopyableText} text=${text} label=${name} />
      </details>`,
    )}
    <p class="quiet">${renderInlineMarkup(w.afterwards)}</p>
  `;
}

/** List of the settings for an MQTT connection: address, user name and password. `children`: further entries of the list. */
export const MqttLoginSettings = (props: {
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
    <dd><${CopyableText} text=${props.password} label=${words().devices.login.password} /></dd>
  </dl>`;

function ports({ tlsPort, plainPort, isPlainOpen, isKnown }: ServiceAddress): Children {
  const w = words().devices.login;
  if (!isKnown) return html`${w.withTls({ port: tlsPort })} <span class="quiet">${w.unknownPort}</span>`;
  if (isPlainOpen)
    return html`${w.alsoPlain({ tls: tlsPort, plain: plainPort })} <span class="quiet">${w.noTls}</span>`;
  return w.plainHere({ tls: tlsPort, plain: plainPort });
}
