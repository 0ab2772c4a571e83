/** Environments of an installation: live, and the sandbox, which has the same interface with its own database, ports and keys. */
export const ENVIRONMENTS = ['live', 'sandbox'] as const;
export type Environment = (typeof ENVIRONMENTS)[number];
