import { totalmem } from 'node:os';

/** Memory that this process may use, bytes: the machine's, or less where its own control group (a container's, a unit's of systemd) says so. */
export const usableMemoryBytes = (): number =>
  Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
