import { totalmem } from 'node:os';

/**
 * Returns the memory that this process may use, in bytes: the machine's memory or, if it is lower, the limit of the process's control group
 * (a container or a systemd unit).
 */
export const getUsableMemoryBytes = (): number =>
  Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);

/**
 * Whether the process may use less than 1 GiB of memory, as on a small Raspberry Pi or in a container with a limit. Low memory use then
 * matters more than speed.
 */
export const hasLittleMemory = (): boolean => getUsableMemoryBytes() < 2 ** 30;
