import { useState } from 'preact/hooks';
import type { DiscoveredDevice, PairedDevice } from '#clients/typescript/client.ts';
import { call } from '../../api.ts';
import { html } from '../../html.ts';
import { useAction } from '../../parts/load.ts';
import { rich } from '../../parts/rich.ts';
import { busy, Dialog, Problem, ShownOnce } from '../../parts/ui.ts';
import { useSession } from '../../session.ts';
import { words } from '../../words/words.ts';
import { typeName } from './device.ts';
import { DeviceFields, givenFields } from './device-fields.ts';
import { DeviceLogin } from './device-login.ts';
import { likelyType } from './discovered-words.ts';
import { FirstReading } from './first-reading.ts';

/** Pairs a device of the picked account, and waits for its first reading. `of`: one that was discovered. */
export function PairDevice(props: { of?: DiscoveredDevice; onChange: () => void; onClose: () => void }) {
  const { of: discovered, onChange, onClose } = props;
  const { me, user } = useSession();
  const { common, devices } = words();
  const w = devices.pairing;
  const [paired, setPaired] = useState<PairedDevice | null>(null);
  const { run, isBusy, error } = useAction();
  const pair = (event: SubmitEvent) => {
    event.preventDefault();
    const given = Object.entries(givenFields(event.target as HTMLFormElement)).filter(([, value]) => value !== null);
    run(async () => {
      const body = {
        user_id: user.user_id,
        ...Object.fromEntries(given),
        ...(discovered ? { discovery_id: discovered.discovery_id } : {}),
      };
      setPaired(await call<PairedDevice>('POST', '/v1/devices', body));
      onChange();
    });
  };
  if (paired)
    return html`<${Dialog} title=${w.title({ type: typeName(paired.type), location: paired.location })} onClose=${onClose}>
      <${ShownOnce} secret=${paired.mqtt?.password}>
        ${paired.mqtt ? rich(w.copyNow) : w.byGateway}
      <//>
      <${FirstReading} deviceId=${paired.device_id} onHeard=${onChange} />
      ${paired.mqtt && html`<${DeviceLogin} paired=${paired} login=${paired.mqtt} />`}
      <p class="actions"><button type="button" class="main" onClick=${onClose}>${common.done}</button></p>
    <//>`;
  return html`<${Dialog} title=${discovered ? w.of({ name: discovered.native_id }) : devices.pair} onClose=${onClose}>
    <form onSubmit=${pair}>
      ${user.user_id !== me.user_id && html`<p class="quiet">${common.forUser({ email: user.email })}</p>`}
      <${DeviceFields} discoveredType=${discovered && likelyType(discovered)} />
      <${Problem} text=${error} />
      <p class="actions">
        <button class="main" ...${busy(isBusy)}>${w.submit}</button>
        <button type="button" onClick=${onClose}>${common.cancel}</button>
      </p>
    </form>
  <//>`;
}
