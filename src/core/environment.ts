/** Live, and the sandbox: the same interface with a database, ports and keys of its own. */
export const ENVIRONMENTS = ['live', 'sandbox'] as const;
export type Environment = (typeof ENVIRONMENTS)[number];
