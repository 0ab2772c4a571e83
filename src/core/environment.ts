/** Environments of an installation. The sandbox has the same interface as live, with its own database, ports and keys. */
export const ENVIRONMENTS = ['live', 'sandbox'] as const;
export type Environment = (typeof ENVIRONMENTS)[number];
