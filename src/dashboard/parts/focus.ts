import { useEffect, useRef } from 'preact/hooks';
import { type Children, html } from '../html.ts';

/** Selector of the fields that can get the focus when a dialog opens. In a group of radio buttons, it matches only the checked one. */
const FIELD = ':is(input, select, textarea):not([type=radio]:not(:checked))';

/**
 * Stores which element has the focus. Returns a function that focuses it again. If the element no longer exists, an ancestor or the page
 * gets the focus.
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

/** Moves the focus to the first field of a dialog that has just opened, unless an element has `autofocus`. */
export function focusFirstField(dialog: HTMLDialogElement): void {
  // By default, the browser focuses the ✕ button that closes the dialog.
  const isAtClose = dialog.querySelector('header')?.contains(document.activeElement);
  if (isAtClose) dialog.querySelector<HTMLElement>(FIELD)?.focus();
}

/** Moves the focus to `top` if the focused control inside it is removed. Otherwise Tab would continue at the top of the page. */
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
      // A moved row is removed and inserted again, so the control may still exist.
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

/** Wrapper around a list. It gets the focus if a row with the focus is removed. */
export function FocusableList({ label, children }: { label: string; children?: Children }) {
  const ref = useRef<HTMLDivElement>(null);
  useFocusFallback(ref);
  return html`<div tabindex="-1" ref=${ref} role="group" aria-label=${label}>${children}</div>`;
}
