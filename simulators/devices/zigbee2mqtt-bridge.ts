import type { FamilyMessage } from './family-device.ts';

/** What Zigbee2MQTT says of itself and of one device when it connects; availability is something its owner turned on. */
export function bridgeGreeting(friendlyName: string): FamilyMessage[] {
  return [
    { topic: 'zigbee2mqtt/bridge/state', payload: '{"state":"online"}', retain: true },
    { topic: `zigbee2mqtt/${friendlyName}/availability`, payload: '{"state":"online"}', retain: true },
  ];
}
