import type { SignInProblem } from '#src/api/dashboard/shapes.ts';

/**
 * An attempt to sign in with an identity provider if there are several cells (installations behind a router). The page tries one cell after
 * another. The tab's storage contains the cells that were not tried yet.
 */
export interface ProviderSignInAttempt {
  /** Page that is opened after the sign-in. */
  returnTo: string;
  /** Cell in which the sign-in is tried. Without it, the router chooses the cell. */
  cell?: string;
  /** Cells to try next. Default: all other cells. */
  untried?: readonly string[];
}

const NAME = 'provider-cells';

/** Stores the cells in which to try the sign-in next. */
export const storeCellsToTryNext = (tab: Pick<Storage, 'setItem'>, returnTo: string, cells: readonly string[]): void =>
  tab.setItem(NAME, [returnTo, ...cells].join(' '));

/**
 * Returns the next attempt after a failure with `problem`; the problem itself if no cell is left. Removes the stored cells, so that a
 * reload makes no further attempt.
 */
export function findNextSignInAttempt(
  problem: SignInProblem | null,
  tab: Pick<Storage, 'getItem' | 'removeItem'>,
): { problem: SignInProblem | null; attempt?: ProviderSignInAttempt } {
  const [returnTo = '', cell, ...untried] = (tab.getItem(NAME) ?? '').split(' ');
  tab.removeItem(NAME);
  return problem === 'unknown' && cell ? { problem: null, attempt: { returnTo, cell, untried } } : { problem };
}
