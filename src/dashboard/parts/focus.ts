import { useEffect, useRef } from 'preact/hooks';
import { type Children, html } from '../html.ts';

/** Selector of the first field of a dialog. Of a group of radio buttons, it matches the button that Tab would focus. */
const FIELD = ':is(input, select, textarea):not([type=radio]:not(:checked))';

/**
 * Stores which element has the focus. Returns a function that gives the focus back. If the element no longer exists, one of its former
 * ancestors or the page gets the focus.
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
  // By default, the browser focuses the first control of a dialog, which is the ✕ button.
  const isAtClose = dialog.querySelector('header')?.contains(document.activeElement);
  if (isAtClose) dialog.querySelector<HTMLElement>(FIELD)?.focus();
}

/**
 * Moves the focus to `top` if the focused control inside it is removed, for example with a deleted row. By default the focus would be lost,
 * and Tab would start at the top of the page again.
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
      // The control still exists if its row was only moved, because moving a row removes it and inserts it again.
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

/** Wrapper of a list whose rows may change. The wrapper gets the focus when the focused row is removed. */
export function FocusableList({ label, children }: { label: string; children?: Children }) {
  const ref = useRef<HTMLDivElement>(null);
  useFocusFallback(ref);
  return html`<div tabindex="-1" ref=${ref} role="group" aria-label=${label}>${children}</div>`;
}
