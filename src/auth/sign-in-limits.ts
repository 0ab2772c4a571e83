/** Who asks for a mail to sign in with. */
export interface Asker {
  /** Of the browser's cookie. */
  browserId: string;
  /** Whether that browser has signed in to the account before. */
  isKnown: boolean;
  /** Where it is: an IPv4 address, an IPv6 /64. */
  network: string;
}

/** Mails of an account that were asked for before, and were not used. */
export interface AskedBefore {
  /** By this browser, in the last 15 minutes, and within a day. */
  byBrowser: number;
  byBrowserToday: number;
  /** By strangers, browsers that never signed in to it: anywhere in the last 15 minutes; in this network; here within a day. */
  byStrangers: number;
  byStrangersHere: number;
  byStrangersHereToday: number;
}

/** Of one browser that is known. */
const MAX_PER_BROWSER = 5;
/** Of strangers in one network; a person with a new browser is one, and may share the network with another. */
const MAX_STRANGERS_PER_NETWORK = 10;
/** Of either within a day. */
const MAX_PER_DAY = 40;
/** Of strangers everywhere. It also bounds how many codes can be tried: five of each mail. */
const MAX_STRANGERS = 20;

/**
 * Whether an account is mailed once more. Strangers use up nothing of a browser that has signed in before, nor those of one
 * network what another has. Where strangers everywhere have had their share, the mailbox has links that are good, whoever
 * asked for them: a link signs in the browser that follows it. Pure.
 */
export function mayAsk({ isKnown }: Asker, before: AskedBefore): boolean {
  if (isKnown) return before.byBrowser < MAX_PER_BROWSER && before.byBrowserToday < MAX_PER_DAY;
  return (
    before.byStrangersHere < MAX_STRANGERS_PER_NETWORK &&
    before.byStrangersHereToday < MAX_PER_DAY &&
    before.byStrangers < MAX_STRANGERS
  );
}
