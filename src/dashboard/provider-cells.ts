import type { SignInProblem } from '#src/api/dashboard/shapes.ts';

/**
 * Sign-in at a provider behind a router of several cells (deploy/cells). The person's account is in one of the cells, and none of them knows
 * the others. So the page tries one cell after the other, until one knows the person. It stores the untried cells in the tab, because the
 * browser leaves the page for the provider.
 */
export interface ProviderAttempt {
  /** Page to open after the sign-in. */
  returnTo: string;
  /** Left out: the cell that the router chooses. */
  cell?: string;
  /** Cells to try if this one does not know the person. Left out: all others. */
  untried?: readonly string[];
}

const NAME = 'provider-cells';

/** Stores the cells to try if the person returns from the provider and is unknown. */
export const storeUntried = (tab: Pick<Storage, 'setItem'>, returnTo: string, cells: readonly string[]): void =>
  tab.setItem(NAME, [returnTo, ...cells].join(' '));

/**
 * Returns the attempt in the next cell, after an attempt that ended with this problem; otherwise the problem. Removes what was stored, so
 * that each attempt is made once.
 */
export function nextCell(
  problem: SignInProblem | null,
  tab: Pick<Storage, 'getItem' | 'removeItem'>,
): { problem: SignInProblem | null; attempt?: ProviderAttempt } {
  const [returnTo = '', cell, ...untried] = (tab.getItem(NAME) ?? '').split(' ');
  tab.removeItem(NAME);
  return problem === 'unknown' && cell ? { problem: null, attempt: { returnTo, cell, untried } } : { problem };
}
