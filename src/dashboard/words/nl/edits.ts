import type { Words } from '../en.ts';

export const edits: Words['edits'] = {
  title: 'Met de hand bewerkte metingen',
  about:
    'Wat iemand van metingen weet en geen regel kan zien. Bewerkingen blijven zichtbaar; niets van wat het apparaat heeft gestuurd wordt verwijderd.',
  list: 'Lijst van bewerkingen',
  none: 'Er is niets bewerkt.',
  new: 'Nieuwe bewerking',
  what: 'Wat',
  actions: { exclude: 'Metingen tellen niet mee', add: 'Ik heb de meter afgelezen' },
  actionHints: {
    exclude:
      'Metingen van deze tijd worden overgeslagen, ook als ze later komen. Over het gat van een teller wordt zijn energie gelijkmatig verdeeld.',
    add: 'De stand telt als een meting die laat komt. Past hij niet bij de andere, dan telt hij niet mee, zoals elke andere meting.',
  },
  quantity: 'Grootheid',
  every: 'alle grootheden',
  at: 'Afgelezen op',
  value: (units: string) => `Meterstand (${units})`,
  from: 'Van',
  to: 'Tot (niet inbegrepen)',
  zone: (zone: string) => `Tijden in ${zone}.`,
  reason: 'Reden',
  reasonHint: 'Wie later kijkt, leest die.',
  when: 'Wanneer',
  made: 'Gemaakt',
  fromTo: (from: string, to: string) => `${from} tot ${to}`,
  excludedOf: (quantity: string) => `Telt niet mee: ${quantity}`,
  readOf: (value: string, quantity: string) => `Met de hand afgelezen: ${value} (${quantity})`,
  statuses: { in_force: 'van kracht', revoked: 'herroepen' },
  waits: 'wordt berekend',
  you: 'jij',
  erased: 'gewist account',
  revoke: 'Herroepen',
  revokeQuestion:
    'Het verbruik van dit apparaat wordt dan berekend alsof de bewerking er nooit was. Ze blijft in deze lijst staan. Ze kan niet weer van kracht worden, maar wel opnieuw worden gemaakt.',
  wrong: (message: string) => `De dienst zegt: ${message}`,
};
