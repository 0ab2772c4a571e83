import type { Words } from '../en.ts';
import { plural } from '../locale.ts';

export const unread: Words['unread'] = {
  title: (gateway, topics) =>
    plural(topics, {
      one: `Praat via ${gateway} en wordt niet gehoord: # soort bericht`,
      other: `Praat via ${gateway} en wordt niet gehoord: # soorten berichten`,
    }),
  about:
    'Berichten die deze dienst niet begrijpt, per topic; `+` staat voor wat per apparaat verschilt. Zit er een meter of stekker van u bij, dan ontbreekt er misschien een instelling van de gateway, of is de taal hier nog niet bekend: open het voorbeeld en zeg wat de getallen betekenen.',
  messages: 'Berichten',
  example: 'Een voorbeeld',
  exampleOf: (topic) => `Een voorbeeld van ${topic}`,
  show: 'Tonen',
  none: 'wordt niet bewaard',
  others: 'alle overige topics',
  cut: (bytes) => plural(bytes, { one: 'Het begin van # byte.', other: 'Het begin van # bytes.' }),
  base64: 'In base64, want het is geen tekst.',
};
