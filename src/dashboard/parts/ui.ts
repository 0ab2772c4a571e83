import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { type Children, html } from '../html.ts';
import { words } from '../words/words.ts';
import { focusFirstField, rememberFocus } from './focus.ts';
import { ago, time } from './format.ts';
import type { Loaded } from './load.ts';

/** An error message, read out at once by screen readers. */
export const Problem = ({ text }: { text: string | null }) =>
  text === null ? null : html`<p class="problem" role="alert">${text}</p>`;

/** A card with a heading, and what can be done beside it. */
export const Card = ({ title, actions, children }: { title: string; actions?: Children; children?: Children }) => html`
  <section class="card" aria-label=${title}>
    <header><h2>${title}</h2>${actions && html`<div class="actions">${actions}</div>`}</header>
    ${children}
  </section>`;

/** What was asked for: a sign of waiting, what went wrong, or the children made of it. */
export function Loading<T>({ of, children }: { of: Loaded<T>; children: (value: T) => Children }) {
  if (of.value !== null) return html`${of.error && html`<${Problem} text=${of.error} />`}${children(of.value)}`;
  if (of.error !== null)
    return html`<${Problem} text=${of.error} /><p><button type="button" onClick=${of.again}>${words().common.again}</button></p>`;
  return html`<p class="quiet" role="status">${words().common.loading}</p>`;
}

/** A label, its control, a hint, and what is wrong with it; `children` gets the control's attributes. */
export function Field(props: {
  label: string;
  hint?: string | undefined;
  mistake?: string | undefined;
  children: (attributes: { id: string; 'aria-describedby'?: string; 'aria-invalid'?: true }) => Children;
}) {
  const { label, hint, mistake, children } = props;
  const id = useId();
  const describing = [...(mistake ? [`${id}-mistake`] : []), ...(hint ? [`${id}-hint`] : [])].join(' ');
  const described = describing === '' ? {} : { 'aria-describedby': describing };
  return html`<div class="field">
    <label for=${id}>${label}</label>
    ${children({ id, ...described, ...(mistake ? { 'aria-invalid': true } : {}) })}
    ${mistake && html`<small class="mistake" id=${`${id}-mistake`}>${mistake}</small>`}
    ${hint && html`<small id=${`${id}-hint`}>${hint}</small>`}
  </div>`;
}

/** Of a button while its work is under way: `disabled` would take the focus from it. `useAction` runs nothing twice. */
export const busy = (isBusy: boolean) => (isBusy ? { 'aria-disabled': true } : {});

/** The end of a form in a dialog that makes something: what was wrong, and the two ways out. */
export const CreateOrCancel = (props: { error: string | null; isBusy: boolean; onCancel: () => void }) => html`
  <${Problem} text=${props.error} />
  <p class="actions">
    <button class="main" ...${busy(props.isBusy)}>${words().common.create}</button>
    <button type="button" onClick=${props.onCancel}>${words().common.cancel}</button>
  </p>`;

/**
 * The browser's own modal dialog: it keeps the focus, begins at its first field, gives the focus back, and Escape closes it.
 * `describedBy`: what is read out with its title.
 */
export function Dialog(props: { title: string; describedBy?: string; onClose: () => void; children?: Children }) {
  const { title, describedBy, onClose, children } = props;
  const ref = useRef<HTMLDialogElement>(null);
  const [giveBack] = useState(rememberFocus);
  const isGone = useRef(false);
  const id = useId();
  useEffect(() => {
    const dialog = ref.current;
    if (!dialog) return;
    dialog.showModal();
    focusFirstField(dialog);
    return () => {
      // Closed before it goes, since nothing else can have the focus until then. The event of it comes afterwards, when
      // another dialog may be open.
      isGone.current = true;
      dialog.close();
      giveBack();
    };
  }, []);
  return html`<dialog ref=${ref} aria-labelledby=${id} aria-describedby=${describedBy} onClose=${() => isGone.current || onClose()}>
    <header>
      <h2 id=${id}>${title}</h2>
      <button type="button" class="plain" aria-label=${words().common.close} onClick=${() => ref.current?.close()}>✕</button>
    </header>
    ${children}
  </dialog>`;
}

/** A text to take away, with a button that copies it. */
export function Copy({ text, label }: { text: string; label: string }) {
  const { common } = words();
  const shown = useRef<HTMLElement>(null);
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // The browser does not allow it: marked, it can be copied by hand.
      if (shown.current) getSelection()?.selectAllChildren(shown.current);
      return;
    }
    tellCopied(shown.current, text);
    setCopied(true);
    setTimeout(() => setCopied(false), 2_000);
  };
  return html`<div class="copy">
    <pre tabindex="0" role="group" aria-label=${label}><code ref=${shown}>${text}</code></pre>
    <button type="button" onClick=${copy} aria-label=${isCopied ? common.copiedOf({ label }) : common.copyOf({ label })}>${isCopied ? common.copied : common.copy}</button>
    <span class="hidden" role="status">${isCopied ? common.wasCopied({ label }) : ''}</span>
  </div>`;
}

/**
 * What is said of something that is shown this once; it takes the focus from the form that it comes after. `secret`: Escape
 * does not close the dialog before that was copied.
 */
export function ShownOnce({ secret, children }: { secret?: string; children?: Children }) {
  const ref = useRef<HTMLParagraphElement>(null);
  const isHeld = useHold(ref, secret);
  useEffect(() => {
    // The form may have been scrolled to its end.
    ref.current?.closest('dialog')?.scrollTo(0, 0);
    ref.current?.focus({ preventScroll: true });
  }, []);
  return html`<p class="note" tabindex="-1" ref=${ref}>${children}</p>
    <${Problem} text=${isHeld ? words().common.copyFirst : null} />`;
}

/** A time: how long ago it was, which goes on while it is looked at, and when. */
export function When({ at, zone, never = words().common.never }: { at: string | null; zone?: string; never?: string }) {
  const nowMs = useNow();
  return at === null
    ? html`<span class="quiet">${never}</span>`
    : html`<time datetime=${at} title=${time(at, zone)}>${ago(at, nowMs)}</time>`;
}

/** A state in a word; its colour says nothing that the word does not. */
export const Badge = ({ kind, children }: { kind: 'good' | 'warn' | 'bad' | 'quiet'; children?: Children }) =>
  html`<span class=${`badge ${kind}`}>${children}</span>`;

/**
 * A button that asks once more before it does what cannot be undone. `of`: to what, where the label does not say it (a row
 * of a table).
 */
export function Sure(props: { label: string; of?: string; question: string; onSure: () => void }) {
  const { label, of, question, onSure } = props;
  const [isAsking, setAsking] = useState(false);
  const id = useId();
  const { common } = words();
  const name = of === undefined ? label : common.of({ what: label, name: of });
  return html`<button type="button" class="danger" aria-label=${name} onClick=${() => setAsking(true)}>${label}</button>
    ${
      isAsking &&
      html`<${Dialog} title=${name} describedBy=${id} onClose=${() => setAsking(false)}>
        <p id=${id}>${question}</p>
        <p class="actions">
          <button type="button" class="danger" onClick=${() => {
            setAsking(false);
            onSure();
          }}>${label}</button>
          <button type="button" autofocus onClick=${() => setAsking(false)}>${common.cancel}</button>
        </p>
      <//>`
    }`;
}

/** Tells a dialog around `element` that a text was copied out of it. */
const tellCopied = (element: Element | null, text: string): void =>
  void element?.dispatchEvent(new CustomEvent('copied', { bubbles: true, detail: text }));

/**
 * Keeps the dialog around an element open on Escape until `secret` was copied, alone or in a longer text: closed, it would be
 * lost. Buttons close it all the same. True once Escape was held up, so that this can be said.
 */
function useHold(inside: { current: Element | null }, secret: string | undefined): boolean {
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

/** `**bold**`, `` `code` `` and `[link]` of a text in `words/`. */
const MARKS = /\*\*(.+?)\*\*|`(.+?)`|\[(.+?)\]/g;

/**
 * A text with marks as markup: translators move them within their sentence. `links`: make the links, in the order that they
 * have in the text.
 */
export function rich(text: string, ...links: ((name: string) => Children)[]): Children[] {
  const parts: Children[] = [];
  let end = 0;
  let link = 0;
  for (const { 0: whole, 1: bold, 2: code, 3: name, index } of text.matchAll(MARKS)) {
    parts.push(text.slice(end, index));
    if (bold !== undefined) parts.push(html`<b>${bold}</b>`);
    else if (code !== undefined) parts.push(html`<code>${code}</code>`);
    else parts.push(links[link++]?.(name ?? '') ?? whole);
    end = index + whole.length;
  }
  return [...parts, text.slice(end)];
}

const EVERY_MS = 10_000;

/** The time, Unix ms, looked at anew every ten seconds: what is said to be "just now" must not stay so for ever. */
export function useNow(): number {
  const [nowMs, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  // Rendered for another reason meanwhile, it is later than that.
  return Math.max(nowMs, Date.now());
}
