/** Whose network server published, and of which device. */
export interface LorawanTopic {
  server: 'things-stack' | 'chirpstack';
  device: string;
  /** An uplink; everything else (joins, acknowledgements, downlinks) says nothing. */
  isUplink: boolean;
}

const THINGS_STACK = /^v3\/([^/]+)\/devices\/([^/]+)\/(.+)$/;
/** Before 3.11 there was no word `event`, and long before an uplink was called `rx`. */
const CHIRPSTACK = /^application\/[^/]+\/device\/([0-9A-Fa-f]{16})\/(?:event\/)?([a-z]+(?:\/[a-z]+)?)$/;

/** Reads `v3/{app}@{tenant}/devices/{id}/up` and `application/{id}/device/{devEui}/event/up`; null for every other topic. */
export function parseLorawanTopic(topic: string): LorawanTopic | null {
  const [, application, thing, about] = THINGS_STACK.exec(topic) ?? [];
  // Another application may have a device of the same id.
  if (thing !== undefined)
    return { server: 'things-stack', device: `${application}/${thing}`, isUplink: about === 'up' };
  const [, device, event = ''] = CHIRPSTACK.exec(topic) ?? [];
  if (device === undefined) return null;
  return { server: 'chirpstack', device: device.toLowerCase(), isUplink: event === 'up' || event === 'rx' };
}
