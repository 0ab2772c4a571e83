import { totalmem } from 'node:os';

/** Returns the memory in bytes that this process may use: the machine's memory, or the lower limit of its container or systemd unit. */
export const getUsableMemoryBytes = (): number =>
  Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);

/** Whether the process may use less than 1 GiB of memory, so that low memory use matters more than speed. */
export const hasLittleMemory = (): boolean => getUsableMemoryBytes() < 2 ** 30;
