import { useEffect, useRef } from 'preact/hooks';
import { type Children, html } from '../html.ts';

/** Matches the first field of a dialog; in a group of radio buttons, the one that Tab would focus. */
const FIELD = ':is(input, select, textarea):not([type=radio]:not(:checked))';

/**
 * Stores the focused element. Returns a function that restores the focus. If the element no longer exists, one of its
 * former ancestors or the page gets the focus.
 */
export function createFocusRestorer(): () => void {
  const before = document.activeElement;
  const around = before?.closest('[tabindex="-1"]');
  return () => {
    for (const one of [before, around, document.querySelector('main')]) {
      if (!(one instanceof HTMLElement) || one === document.body) continue;
      one.focus({ preventScroll: true });
      if (document.activeElement === one) return;
    }
  };
}

/** Moves the focus of a newly opened dialog to its first field, unless an element has `autofocus`. */
export function focusFirstField(dialog: HTMLDialogElement): void {
  // By default the browser focuses the first control of the dialog, which is the ✕ button.
  const isAtClose = dialog.querySelector('header')?.contains(document.activeElement);
  if (isAtClose) dialog.querySelector<HTMLElement>(FIELD)?.focus();
}

/**
 * If the focused control inside `top` is removed (for example with a deleted row), moves the focus to `top`. By default
 * the focus would be lost, and Tab would start at the top of the page again.
 */
export function useFocusFallback(top: { current: HTMLElement | null }): void {
  useEffect(() => {
    const element = top.current;
    if (!element) return;
    let last: HTMLElement | null = null;
    const note = ({ target }: FocusEvent) => {
      last = target as HTMLElement;
    };
    const look = (changes: MutationRecord[]) => {
      const isTaken = changes.some(({ removedNodes }) => [...removedNodes].some((node) => last && node.contains(last)));
      if (!isTaken || document.activeElement !== document.body) return;
      // The control still exists if its row only moved, because the row is removed and inserted again.
      (last?.isConnected ? last : element).focus({ preventScroll: true });
    };
    const observer = new MutationObserver(look);
    observer.observe(element, { childList: true, subtree: true });
    element.addEventListener('focusin', note);
    return () => {
      observer.disconnect();
      element.removeEventListener('focusin', note);
    };
  }, []);
}

/** Wrapper of a list whose rows may change. It gets the focus when the focused row is removed. */
export function FocusableList({ label, children }: { label: string; children?: Children }) {
  const ref = useRef<HTMLDivElement>(null);
  useFocusFallback(ref);
  return html`<div tabindex="-1" ref=${ref} role="group" aria-label=${label}>${children}</div>`;
}
