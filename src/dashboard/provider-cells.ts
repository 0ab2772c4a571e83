import type { SignInProblem } from '#src/api/dashboard/shapes.ts';

/**
 * An attempt to sign in at an identity provider behind a router of several cells (deploy/cells). The person's account
 * is in one of the cells, which have no common directory. So the page tries one cell after the other until one has the
 * account. The untried cells are stored in the tab, because the browser leaves the page for the provider.
 */
export interface ProviderAttempt {
  /** Page to open after the sign-in. */
  returnTo: string;
  /** Cell to try. By default the one that the router chooses. */
  cell?: string;
  /** Cells to try if this one does not have the account. By default all others. */
  untried?: readonly string[];
}

const NAME = 'provider-cells';

/** Stores the cells to try if this attempt ends because the cell does not have the account. */
export const storeUntried = (tab: Pick<Storage, 'setItem'>, returnTo: string, cells: readonly string[]): void =>
  tab.setItem(NAME, [returnTo, ...cells].join(' '));

/**
 * Returns the attempt in the next cell after an attempt failed with this problem. If no cell is left, returns the
 * problem. Removes the stored cells, so that each attempt is made once.
 */
export function nextCell(
  problem: SignInProblem | null,
  tab: Pick<Storage, 'getItem' | 'removeItem'>,
): { problem: SignInProblem | null; attempt?: ProviderAttempt } {
  const [returnTo = '', cell, ...untried] = (tab.getItem(NAME) ?? '').split(' ');
  tab.removeItem(NAME);
  return problem === 'unknown' && cell ? { problem: null, attempt: { returnTo, cell, untried } } : { problem };
}
