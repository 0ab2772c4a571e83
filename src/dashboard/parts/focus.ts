import { useEffect, useRef } from 'preact/hooks';
import { type Children, html } from '../html.ts';

/** Of a dialog, what is to be filled in first; of a group of radio buttons it is the one that Tab would reach. */
const FIELD = ':is(input, select, textarea):not([type=radio]:not(:checked))';

/** Remembers what has the focus. What is returned gives it back; where that is gone, to what stood around it, or to the page. */
export function rememberFocus(): () => void {
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

/** Moves the focus of a dialog that has just opened to its first field, unless something in it asked for it (`autofocus`). */
export function focusFirstField(dialog: HTMLDialogElement): void {
  // Left to itself the browser takes the first control of all, which is ✕.
  const isAtClose = dialog.querySelector('header')?.contains(document.activeElement);
  if (isAtClose) dialog.querySelector<HTMLElement>(FIELD)?.focus();
}

/**
 * Where the control that has the focus is taken away from inside `top` (a row that was deleted), `top` gets the focus: left to
 * the browser nothing has it, and Tab begins at the start of the page again.
 */
export function useKeptFocus(top: { current: HTMLElement | null }): void {
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
      // A row that only moved is taken away and put back.
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

/** Around a list whose rows come and go: it takes the focus of a row that is gone. */
export function Rows({ label, children }: { label: string; children?: Children }) {
  const ref = useRef<HTMLDivElement>(null);
  useKeptFocus(ref);
  return html`<div tabindex="-1" ref=${ref} role="group" aria-label=${label}>${children}</div>`;
}
