import { omitUndefined } from '#src/core/omit-undefined.ts';
import type { FamilyDevice, FamilyMessage } from './devices/family-device.ts';
import type { SimulatedHome } from './home-clock.ts';
import { createPublisher } from './publisher.ts';

/** A household with its devices, and the period to simulate. */
interface HouseholdOptions {
  /** URL of the household's own broker. */
  url: string;
  username?: string;
  password?: string;
  devices: readonly FamilyDevice[];
  home: SimulatedHome;
  fromMs: number;
  toMs: number;
  stepMs: number;
}

/**
 * Publishes the messages of a household over one connection at QoS 1: first the messages on connect, then those of each step of [from, to].
 * Resolves with the number of messages when all are acknowledged. Messages without a time are stored with their time of receipt.
 */
export async function publishHouseholdMessages(options: HouseholdOptions): Promise<number> {
  const { url, username, password, devices, home, fromMs, toMs, stepMs } = options;
  if (!(stepMs > 0)) throw new RangeError('stepMs must be above zero');
  const publisher = await createPublisher({
    url,
    ...omitUndefined({ deviceId: username, secret: password }),
  });
  let messages = 0;
  try {
    const publish = async (sent: readonly FamilyMessage[]) => {
      for (const { topic, payload, retain } of sent) {
        await publisher.publish(topic, payload, retain);
        messages++;
      }
    };
    for (const device of devices) await publish(device.greeting(fromMs));
    for (let atMs = fromMs; atMs <= toMs; atMs += stepMs) {
      for (const device of devices) await publish(device.messages(home, atMs));
    }
    await publisher.flush();
    return messages;
  } finally {
    await publisher.close();
  }
}
