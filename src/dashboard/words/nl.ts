import type { Words } from './en.ts';
import { alerts } from './nl/alerts.ts';
import { bills } from './nl/bills.ts';
import { common } from './nl/common.ts';
import { devices } from './nl/devices.ts';
import { download } from './nl/download.ts';
import { edits } from './nl/edits.ts';
import { fleet } from './nl/fleet.ts';
import { groups } from './nl/groups.ts';
import { home } from './nl/home.ts';
import { homeassistant } from './nl/homeassistant.ts';
import { imports } from './nl/imports.ts';
import { keys } from './nl/keys.ts';
import { messages } from './nl/messages.ts';
import { period } from './nl/period.ts';
import { plainWords } from './nl/plain-words.ts';
import { provider } from './nl/provider.ts';
import { sessions } from './nl/sessions.ts';
import { tariffs } from './nl/tariffs.ts';
import { unread } from './nl/unread.ts';
import { webhooks } from './nl/webhooks.ts';

/** All that the dashboard says, in Dutch. */
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
