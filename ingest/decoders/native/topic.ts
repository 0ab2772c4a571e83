/** Longest device id that a topic may carry. */
const DEVICE_ID = /^[A-Za-z0-9_-]{1,64}$/;

export interface NativeTopic {
  deviceId: string;
  leaf: 'readings' | 'status';
}

/** Reads `energy/v1/{device_id}/readings` and `…/status`; null for every other topic. */
export function parseNativeTopic(topic: string): NativeTopic | null {
  const [root, version, deviceId, leaf, more] = topic.split('/');
  if (root !== 'energy' || version !== 'v1' || more !== undefined) return null;
  if (deviceId === undefined || !DEVICE_ID.test(deviceId)) return null;
  if (leaf !== 'readings' && leaf !== 'status') return null;
  return { deviceId, leaf };
}

/** Topic filters that a client of an external broker subscribes to. */
export const NATIVE_FILTERS = ['energy/v1/+/readings', 'energy/v1/+/status'] as const;
