import { useState } from 'preact/hooks';
import type { CreatedGateway } from '#clients/typescript/client.ts';
import { call } from '../../api.ts';
import { html } from '../../html.ts';
import { useAction } from '../../parts/load.ts';
import { busy, Copy, Dialog, Field, Problem, ShownOnce } from '../../parts/ui.ts';
import { useSession } from '../../session.ts';
import { deviceSettings, mosquittoBridge } from './gateway-snippets.ts';
import { LoginFields } from './login-fields.ts';
import { serviceAddress } from './service-address.ts';

/** Makes a gateway of the picked account, and shows its credentials once, in the settings of what is to use them. */
export function CreateGateway({ onChange, onClose }: { onChange: () => void; onClose: () => void }) {
  const { me, user } = useSession();
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
    return html`<${Dialog} title=${`Gateway ${made.name}`} onClose=${onClose}>
      <${GatewayLogin} mqtt=${made.mqtt} />
      <p class="actions"><button type="button" class="main" onClick=${onClose}>Done, I have copied it</button></p>
    <//>`;
  return html`<${Dialog} title="Create a gateway" onClose=${onClose}>
    <form onSubmit=${create}>
      ${user.user_id !== me.user_id && html`<p class="quiet">For ${user.email}.</p>`}
      <${Field} label="Name" hint="Such as home, or the name of its broker.">
        ${(attributes: object) =>
          html`<input ...${attributes} name="name" required maxlength="100" autocomplete="off" />`}
      <//>
      <${Problem} text=${error} />
      <p class="actions">
        <button class="main" ...${busy(isBusy)}>Create</button>
        <button type="button" onClick=${onClose}>Cancel</button>
      </p>
    </form>
  <//>`;
}

function GatewayLogin({ mqtt }: { mqtt: CreatedGateway['mqtt'] }) {
  const address = serviceAddress(location.hostname, useSession().mqtt);
  return html`
    <${ShownOnce} secret=${mqtt.password}><b>Copy the password now: it is shown only once.</b> Take the settings of what you have; it may publish
      below its prefix, and nowhere else.<//>
    <${LoginFields} address=${address} username=${mqtt.username} password=${mqtt.password}>
      <dt>Prefix</dt>
      <dd><code>${mqtt.topic_prefix}</code></dd>
    <//>
    <h3>A bridge from mosquitto</h3>
    <p class="quiet">Into the household’s <code>mosquitto.conf</code>; leave out the topics that you do not have.
      ${address.needsCertificate && html`The certificate above goes to where <code>bridge_cafile</code> says.`}</p>
    <${Copy} text=${mosquittoBridge(mqtt, address)} label="mosquitto.conf" />
    <h3>Without a broker of one’s own</h3>
    ${deviceSettings(mqtt, address).map(
      ({ name, text }) => html`<details class="more">
        <summary>${name}</summary>
        <${Copy} text=${text} label=${name} />
      </details>`,
    )}
    <p class="quiet">Its devices then appear under <b>Discovered devices</b>; pair them there.</p>
  `;
}
