import type { Command } from 'commander';
import { deleteDevice, getDevice, listDevices, updateDevice } from '#src/api/v1/devices/operations.ts';
import { addDelete, addGet, addList, addUpdate, type Noun } from './verbs.ts';

const DEVICE: Noun = {
  name: 'device',
  id: 'device_id',
  columns: ['device_id', 'type', 'location', 'placement', 'status', 'last_seen_at', 'attention'],
};

/** `energy devices list|get|update|delete`, beside pairing. */
export function addDeviceVerbs(devices: Command): void {
  addList(devices, DEVICE, listDevices, { ofUser: true });
  addGet(devices, DEVICE, getDevice);
  addUpdate(devices, DEVICE, updateDevice);
  addDelete(devices, DEVICE, deleteDevice, 'it can no longer log in; what it consumed stays');
}
