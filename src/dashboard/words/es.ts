import type { Words } from './en.ts';
import { alerts } from './es/alerts.ts';
import { bills } from './es/bills.ts';
import { common } from './es/common.ts';
import { devices } from './es/devices.ts';
import { download } from './es/download.ts';
import { edits } from './es/edits.ts';
import { fleet } from './es/fleet.ts';
import { groups } from './es/groups.ts';
import { home } from './es/home.ts';
import { homeassistant } from './es/homeassistant.ts';
import { imports } from './es/imports.ts';
import { keys } from './es/keys.ts';
import { messages } from './es/messages.ts';
import { period } from './es/period.ts';
import { plainWords } from './es/plain-words.ts';
import { provider } from './es/provider.ts';
import { sessions } from './es/sessions.ts';
import { tariffs } from './es/tariffs.ts';
import { unread } from './es/unread.ts';
import { webhooks } from './es/webhooks.ts';

/** All that the dashboard says, in Spanish. */
export const words: Words = {
  common,
  home,
  messages,
  period,
  plainWords,
  download,
  keys,
  devices,
  edits,
  fleet,
  unread,
  imports,
  homeassistant,
  tariffs,
  bills,
  alerts,
  webhooks,
  sessions,
  groups,
  provider,
};
