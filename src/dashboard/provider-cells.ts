import type { SignInProblem } from '#src/api/dashboard/shapes.ts';

/**
 * An attempt to sign in with an identity provider if there are several cells (installations behind a router, deploy/cells). No directory
 * lists which cell has the person's account, so the page tries one cell after another. The browser leaves the page for the provider, so the
 * tab's storage contains the cells that were not tried yet.
 */
export interface ProviderSignInAttempt {
  /** Page that is opened after the sign-in. */
  returnTo: string;
  /** Cell in which the sign-in is tried. Without it, the router chooses the cell. */
  cell?: string;
  /** Cells that are tried next if this cell does not have the account. Without it, these are all other cells. */
  untried?: readonly string[];
}

const NAME = 'provider-cells';

/** Stores the cells in which to try the sign-in next, if this cell does not have the account. */
export const storeCellsToTryNext = (tab: Pick<Storage, 'setItem'>, returnTo: string, cells: readonly string[]): void =>
  tab.setItem(NAME, [returnTo, ...cells].join(' '));

/**
 * Returns the next attempt after an attempt failed with `problem`; the problem itself if no cell is left. Removes the stored cells, so that
 * a reload makes no further attempt.
 */
export function findNextSignInAttempt(
  problem: SignInProblem | null,
  tab: Pick<Storage, 'getItem' | 'removeItem'>,
): { problem: SignInProblem | null; attempt?: ProviderSignInAttempt } {
  const [returnTo = '', cell, ...untried] = (tab.getItem(NAME) ?? '').split(' ');
  tab.removeItem(NAME);
  return problem === 'unknown' && cell ? { problem: null, attempt: { returnTo, cell, untried } } : { problem };
}
