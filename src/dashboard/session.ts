import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { User } from '#clients/typescript/client.ts';

/** What the pages use of the session: the signed-in account, the selected account, and navigation. */
export interface Session {
  me: User;
  /** Replaces the signed-in account, the selected account, or both, by `user` if they have its id. */
  replaceUser(user: User): void;
  /** Ends the session in this tab, and shows the sign-in page with the text `reason`. */
  leave(reason?: string): void;
  environment: 'live' | 'sandbox';
  /** Settings with which devices reach the MQTT broker. */
  mqtt: {
    host: string;
    /** Ports of the service's own broker. Null if the service uses an external broker. */
    ports: { tls: number; plain: number } | null;
    /** Whether devices in other networks may also connect without TLS. */
    is_plain_open: boolean;
    /** Whether devices need a copy of the service's certificate. */
    needs_certificate: boolean;
  };
  /** All scopes that API keys and apps can have. */
  scopes: { keys: readonly string[]; apps: readonly string[] };
  /** The account whose data the pages show: the selected account, otherwise the signed-in account. */
  user: User;
  pick(user: User): void;
  /** The part of the page's address after the name of the page, such as `month/2026-10`. */
  rest: string;
  /** Opens another page and moves the focus to it. */
  go(path: string): void;
  /** Changes the address within the current page, without moving the focus. */
  move(path: string): void;
}

export const SessionContext = createContext<Session | null>(null);

/** Returns the session. Throws if nobody is signed in. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error('no session');
  return session;
}

/** Returns the attributes of a link to a page of the dashboard. */
export type PageLink = (page: string) => { href: string; onClick: (event: MouseEvent) => void };

/** Returns a function that creates the attributes of links between pages. Such a link opens the page without reloading the document. */
export function usePageLink(): PageLink {
  const { go } = useSession();
  return (page) => ({
    href: page === '' ? '/dashboard' : `/dashboard/${page}`,
    onClick: createPlainClickHandler(() => go(page)),
  });
}

/** Returns a click handler for a link. It ignores clicks that open a new tab or window. */
export const createPlainClickHandler = (act: () => void) => (event: MouseEvent) => {
  if (event.metaKey || event.ctrlKey || event.shiftKey) return;
  event.preventDefault();
  act();
};
