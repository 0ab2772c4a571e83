import type { SignInProblem } from '#src/api/dashboard/shapes.ts';

/**
 * An attempt to sign in at an identity provider behind a router of several cells (deploy/cells). The person's account is in one of the
 * cells, and there is no common directory. So the page tries one cell after another until a cell has the account. The cells that were not
 * tried yet are stored in the tab, because the browser leaves the page for the provider.
 */
export interface ProviderSignInAttempt {
  /** Page to open after the sign-in. */
  returnTo: string;
  /** Cell in which to try the sign-in. By default the router chooses the cell. */
  cell?: string;
  /** Cells to try next if this cell does not have the account. Default: all other cells. */
  untried?: readonly string[];
}

const NAME = 'provider-cells';

/** Stores the cells to try next if this cell does not have the account. */
export const storeCellsToTryNext = (tab: Pick<Storage, 'setItem'>, returnTo: string, cells: readonly string[]): void =>
  tab.setItem(NAME, [returnTo, ...cells].join(' '));

/**
 * Returns the next attempt after an attempt failed with this problem: in the next cell, or the problem if no cell is left. Removes the
 * stored cells, so that each attempt is made once.
 */
export function findNextSignInAttempt(
  problem: SignInProblem | null,
  tab: Pick<Storage, 'getItem' | 'removeItem'>,
): { problem: SignInProblem | null; attempt?: ProviderSignInAttempt } {
  const [returnTo = '', cell, ...untried] = (tab.getItem(NAME) ?? '').split(' ');
  tab.removeItem(NAME);
  return problem === 'unknown' && cell ? { problem: null, attempt: { returnTo, cell, untried } } : { problem };
}
