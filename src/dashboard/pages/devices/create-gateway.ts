import { useState } from 'preact/hooks';
import type { CreatedGateway } from '#clients/typescript/client.ts';
import { call } from '../../api.ts';
import { html } from '../../html.ts';
import { useAction } from '../../parts/load.ts';
import { rich } from '../../parts/rich.ts';
import { Copy, CreateOrCancel, Dialog, Field, ShownOnce } from '../../parts/ui.ts';
import { useSession } from '../../session.ts';
import { words } from '../../words/words.ts';
import { deviceSettings, mosquittoBridge } from './gateway-snippets.ts';
import { LoginFields } from './login-fields.ts';
import { serviceAddress } from './service-address.ts';

/** Makes a gateway of the picked account, and shows its credentials once, in the settings of what is to use them. */
export function CreateGateway({ onChange, onClose }: { onChange: () => void; onClose: () => void }) {
  const { me, user } = useSession();
  const { common, devices } = words();
  const w = devices.gateways;
  const [made, setMade] = useState<CreatedGateway | null>(null);
  const { run, isBusy, error } = useAction();
  const create = (event: SubmitEvent) => {
    event.preventDefault();
    const name = String(new FormData(event.target as HTMLFormElement).get('name')).trim();
    run(async () => {
      setMade(await call<CreatedGateway>('POST', '/v1/gateways', { user_id: user.user_id, name }));
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
      <${Field} label=${common.name} hint=${w.nameHint}>
        ${(attributes: object) =>
          html`<input ...${attributes} name="name" required maxlength="100" autocomplete="off" />`}
      <//>
      <${CreateOrCancel} error=${error} isBusy=${isBusy} onCancel=${onClose} />
    </form>
  <//>`;
}

function GatewayLogin({ mqtt }: { mqtt: CreatedGateway['mqtt'] }) {
  const w = words().devices.gateways;
  const address = serviceAddress(location.hostname, useSession().mqtt);
  return html`
    <${ShownOnce} secret=${mqtt.password}>${rich(w.copyNow)}<//>
    <${LoginFields} address=${address} username=${mqtt.username} password=${mqtt.password}>
      <dt>${w.prefix}</dt>
      <dd><code>${mqtt.topic_prefix}</code></dd>
    <//>
    <h3>${w.bridge}</h3>
    <p class="quiet">${rich(w.bridgeAbout)} ${address.needsCertificate && rich(w.bridgeCertificate)}</p>
    <${Copy} text=${mosquittoBridge(mqtt, address)} label="mosquitto.conf" />
    <h3>${w.withoutBroker}</h3>
    ${deviceSettings(mqtt, address).map(
      ({ name, text }) => html`<details class="more">
        <summary>${name}</summary>
        <${Copy} text=${text} label=${name} />
      </details>`,
    )}
    <p class="quiet">${rich(w.afterwards)}</p>
  `;
}
