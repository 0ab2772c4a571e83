import { useEffect, useState } from 'preact/hooks';

/** Tells a dialog around `element` that a text was copied out of it. */
export const tellCopied = (element: Element | null, text: string): void =>
  void element?.dispatchEvent(new CustomEvent('copied', { bubbles: true, detail: text }));

/**
 * Keeps the dialog around an element open on Escape until `secret` was copied, alone or in a longer text: closed, it would be
 * lost. Buttons close it all the same. True once Escape was held up, so that this can be said.
 */
export function useHold(inside: { current: Element | null }, secret: string | undefined): boolean {
  const [isHeld, setHeld] = useState(false);
  useEffect(() => {
    const dialog = inside.current?.closest('dialog');
    if (!dialog || secret === undefined) return;
    let isCopied = false;
    const copied = (text: string) => {
      if (!text.includes(secret)) return;
      isCopied = true;
      setHeld(false);
    };
    const hold = (event: Event) => {
      if (isCopied) return;
      event.preventDefault();
      // What is said about it stands at the top.
      dialog.scrollTo(0, 0);
      setHeld(true);
    };
    const listening = new AbortController();
    const { signal } = listening;
    dialog.addEventListener('copied', (event) => copied((event as CustomEvent<string>).detail), { signal });
    // Marked, and copied by hand.
    dialog.addEventListener('copy', () => copied(String(getSelection())), { signal });
    dialog.addEventListener('cancel', hold, { signal });
    // A browser lets `cancel` be prevented only once without a click in between.
    document.addEventListener('keydown', (event) => event.key === 'Escape' && hold(event), { signal });
    return () => listening.abort();
  }, [secret]);
  return isHeld;
}
