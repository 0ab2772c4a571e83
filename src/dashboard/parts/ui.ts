import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { type Children, html } from '../html.ts';
import { words } from '../words/words.ts';
import { createFocusRestorer, focusFirstField } from './focus.ts';
import { formatTime, formatTimeAgo } from './format.ts';
import type { LoadedData } from './load.ts';

/** Error message that screen readers read at once. */
export const ErrorMessage = ({ text }: { text: string | null }) =>
  text === null ? null : html`<p class="problem" role="alert">${text}</p>`;

/** A card with a heading. `actions`: buttons next to the heading. */
export const Card = ({ title, actions, children }: { title: string; actions?: Children; children?: Children }) => html`
  <section class="card" aria-label=${title}>
    <header><h2>${title}</h2>${actions && html`<div class="actions">${actions}</div>`}</header>
    ${children}
  </section>`;

/** Message that data could not be loaded, with a button that loads them again. */
export const LoadingFailed = ({ text, onAgain }: { text: string; onAgain: () => void }) =>
  html`<${ErrorMessage} text=${text} /><p><button type="button" onClick=${onAgain}>${words().common.again}</button></p>`;

/** Shows an indicator, an error message, or the children with the loaded data. */
export function LoadedContent<T>({ of, children }: { of: LoadedData<T>; children: (value: T) => Children }) {
  if (of.value !== null) return html`${of.error && html`<${ErrorMessage} text=${of.error} />`}${children(of.value)}`;
  if (of.error !== null) return html`<${LoadingFailed} text=${of.error} onAgain=${of.again} />`;
  return html`<p class="quiet" role="status">${words().common.loading}</p>`;
}

/**
 * A label with its input, a hint and an error message. `control`: element or component of the input, which gets the children and all other
 * attributes.
 */
export function Field(props: {
  label: string;
  hint?: string | undefined;
  mistake?: string | undefined;
  control?: unknown;
  children?: Children;
}) {
  const { label, hint, mistake, control = 'input', children, ...attributes } = props;
  const id = useId();
  const describing = [...(mistake ? [`${id}-mistake`] : []), ...(hint ? [`${id}-hint`] : [])].join(' ');
  const described = describing === '' ? {} : { 'aria-describedby': describing };
  return html`<div class="field">
    <label for=${id}>${label}</label>
    <${control} ...${attributes} id=${id} ...${described} ...${mistake ? { 'aria-invalid': true } : {}}>${children}<//>
    ${mistake && html`<small class="mistake" id=${`${id}-mistake`}>${mistake}</small>`}
    ${hint && html`<small id=${`${id}-hint`}>${hint}</small>`}
  </div>`;
}

/**
 * Returns the attributes of a button while its action is running. Does not use `disabled`, because the button would lose the focus.
 * `useAction` prevents a second run.
 */
export const getBusyAttributes = (isBusy: boolean) => (isBusy ? { 'aria-disabled': true } : {});

/**
 * End of a form: the error message, and buttons that submit and cancel. `label`: text of the submit button, by default "Create". `missing`:
 * what the user must still enter; until then the submit button is disabled.
 */
export function FormButtons(props: {
  label?: string;
  error: string | null;
  isBusy: boolean;
  missing?: string | null;
  onCancel: () => void;
}) {
  const { common } = words();
  const { label = common.create, error, isBusy, missing = null, onCancel } = props;
  return html`
    <${ErrorMessage} text=${error} />
    <p class="actions">
      <button class="main" ...${getBusyAttributes(isBusy)} disabled=${missing !== null}>${label}</button>
      <button type="button" onClick=${onCancel}>${common.cancel}</button>
      ${missing !== null && html`<span class="quiet">${missing}</span>`}
    </p>`;
}

/**
 * Modal dialog. It focuses its first field, closes on Escape, and then returns the focus. `describedBy`: id of a text that screen readers
 * read after the title.
 */
export function Dialog(props: { title: string; describedBy?: string; onClose: () => void; children?: Children }) {
  const { title, describedBy, onClose, children } = props;
  const ref = useRef<HTMLDialogElement>(null);
  const [giveBack] = useState(createFocusRestorer);
  const isGone = useRef(false);
  const id = useId();
  useEffect(() => {
    const dialog = ref.current;
    if (!dialog) return;
    dialog.showModal();
    focusFirstField(dialog);
    return () => {
      // The dialog must be closed before it is removed, so that another element can get the focus. Its late close event is ignored.
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

/** A text with a button that copies it. */
export function CopyableText({ text, label }: { text: string; label: string }) {
  const { common } = words();
  const shown = useRef<HTMLElement>(null);
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // If the browser does not permit copying, the text is selected, so that the user can copy it.
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
 * Content that is shown only once. It gets the focus when it replaces a form. `secret`: text that the user must copy before Escape closes
 * the dialog.
 */
export function ContentShownOnce({ secret, children }: { secret?: string; children?: Children }) {
  const ref = useRef<HTMLParagraphElement>(null);
  const isHeld = useHold(ref, secret);
  useEffect(() => {
    // The user may have scrolled to the end of the form.
    ref.current?.closest('dialog')?.scrollTo(0, 0);
    ref.current?.focus({ preventScroll: true });
  }, []);
  return html`<p class="note" tabindex="-1" ref=${ref}>${children}</p>
    <${ErrorMessage} text=${isHeld ? words().common.copyFirst : null} />`;
}

/** Shows how far a time is from now, as in "3 hours ago". The tooltip contains the date and time. */
export function RelativeTime({
  at,
  zone,
  never = words().common.never,
}: {
  at: string | null;
  zone?: string;
  never?: string;
}) {
  const nowMs = useCurrentTimeMs();
  return at === null
    ? html`<span class="quiet">${never}</span>`
    : html`<time datetime=${at} title=${formatTime(at, zone)}>${formatTimeAgo(at, nowMs)}</time>`;
}

/** A word for a state, such as "paused". The colour repeats what the word says. */
export const Badge = ({ kind, children }: { kind: 'good' | 'warn' | 'bad' | 'quiet'; children?: Children }) =>
  html`<span class=${`badge ${kind}`}>${children}</span>`;

/** Button for an action that cannot be undone; it asks for confirmation. `of`: object of the action, if the label does not name it. */
export function ConfirmButton(props: { label: string; of?: string; question: string; onSure: () => void }) {
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

/** Notifies the dialog around `element` that a text was copied from it. */
const tellCopied = (element: Element | null, text: string): void =>
  void element?.dispatchEvent(new CustomEvent('copied', { bubbles: true, detail: text }));

/**
 * Prevents Escape from closing the dialog before the user has copied `secret`. Returns true after Escape was blocked, so that the dialog
 * can explain it.
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
      // Scrolls to the explanation at the top of the dialog.
      dialog.scrollTo(0, 0);
      setHeld(true);
    };
    const listening = new AbortController();
    const { signal } = listening;
    dialog.addEventListener('copied', (event) => copied((event as CustomEvent<string>).detail), { signal });
    // The user may also select the text and copy it without the button.
    dialog.addEventListener('copy', () => copied(String(getSelection())), { signal });
    dialog.addEventListener('cancel', hold, { signal });
    // Escape is blocked at `keydown`, because browsers let a page block the event `cancel` only once.
    document.addEventListener('keydown', (event) => event.key === 'Escape' && hold(event), { signal });
    return () => listening.abort();
  }, [secret]);
  return isHeld;
}

/** Matches markup in texts of `words/`: `**bold**`, `` `code` `` and `[link]`. */
const MARKS = /\*\*(.+?)\*\*|`(.+?)`|\[(.+?)\]/g;

/**
 * Renders a text with markup: `**bold**`, `` `code` `` and `[link]`. `links`: functions that render the links, in the order of the text.
 */
export function renderInlineMarkup(text: string, ...links: ((name: string) => Children)[]): Children[] {
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

/** Returns the current time in Unix ms. The component is rendered again every ten seconds. */
export function useCurrentTimeMs(): number {
  const [nowMs, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  // A component that is rendered between two updates must use the present time.
  return Math.max(nowMs, Date.now());
}
