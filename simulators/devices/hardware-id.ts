import { createRandom } from '../random.ts';

/** Hex digits as in the MAC address of a device, the same ones for the same name. */
export function hardwareId(name: string, digits: number): string {
  const random = createRandom(name, 'hardware id');
  return Array.from({ length: digits }, () => random.whole(0, 15).toString(16)).join('');
}
