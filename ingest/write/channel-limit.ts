import type { Reject } from '../message.ts';
import type { Collected } from './collect.ts';
import { type StandingDevice, seriesName } from './standing.ts';

/** Most channels of a device (MAX_CHANNELS): what stands of it is loaded, chosen from and listed as a whole. */
export const MAX_CHANNELS = 64;

/**
 * Takes readings of channels beyond the limit out of a batch, and answers them as rejections. Those that a device has had before go
 * on, however many they are.
 */
export function refuseFurtherChannels(
  devices: ReadonlyMap<string, Pick<StandingDevice, 'series' | 'rest'>>,
  collected: Collected,
  most: number,
): Reject[] {
  const rejects: Reject[] = [];
  for (const [deviceId, arrived] of collected.series) {
    const device = devices.get(deviceId);
    const fresh = device
      ? [...arrived.values()].filter((one) => !device.series.has(seriesName(one.channel, one.kind)))
      : [];
    if (!device || fresh.length === 0) continue;
    const channels = new Set([...device.series.values()].map(({ channel }) => channel));
    // Of a device that is loaded in part, those that the batch names are among them.
    const others = device.rest ? (device.rest.channels ?? 0) - channels.size : 0;
    for (const { channel, kind, points } of fresh) {
      if (channels.has(channel)) continue;
      if (others + channels.size < most) {
        channels.add(channel);
        continue;
      }
      arrived.delete(seriesName(channel, kind));
      const reason = `more than ${most} channels of one device (MAX_CHANNELS)`;
      for (const { message, element } of points) rejects.push({ message, element, reason });
    }
  }
  return rejects;
}
