import { totalmem } from 'node:os';

/** Memory that this process may use, bytes: the machine's, or less where a control group (a container, a unit of systemd) limits it. */
export const usableMemoryBytes = (): number =>
  Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
