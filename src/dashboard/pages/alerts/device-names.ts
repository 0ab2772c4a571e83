import type { Device } from '#clients/typescript/client.ts';
import { list, withQuery } from '../../api.ts';
import { useLoad } from '../../parts/load.ts';
import { typeName } from '../devices/device.ts';

/** What a person calls a device of an account; its identifier where it is not (or not yet) known. */
export function useDeviceNames(userId: string): (deviceId: string) => string {
  const devices = useLoad(() => list<Device>(withQuery('/v1/devices', { user_id: userId, limit: 200 })), [userId]);
  return (deviceId) => {
    const known = devices.value?.find(({ device_id }) => device_id === deviceId);
    return known ? `${known.location} (${typeName(known.type)})` : deviceId;
  };
}
