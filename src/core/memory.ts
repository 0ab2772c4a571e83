import { totalmem } from 'node:os';

/**
 * Returns the memory that this process may use, in bytes: the machine's, or the limit of its control group (of a container or a systemd
 * unit) if that is lower.
 */
export const getUsableMemoryBytes = (): number =>
  Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);

/**
 * Whether the process may use less than 1 GiB: a Raspberry Pi of that size, or a container with a limit. Memory then
 * matters more than speed.
 */
export const hasLittleMemory = (): boolean => getUsableMemoryBytes() < 2 ** 30;
