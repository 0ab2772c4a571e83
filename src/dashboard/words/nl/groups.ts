import type { Words } from '../en.ts';
import { plural } from '../locale.ts';

export const groups: Words['groups'] = {
  about:
    'Woningen die bij elkaar horen: een gebouw, een kabel, een wijk. Een groep laat zien wat al haar woningen samen hebben verbruikt, ook die van de groepen eronder.',
  yours: 'Groepen woningen',
  create: 'Nieuwe groep',
  list: 'Lijst van groepen',
  empty: 'Er is nog geen groep. Maak er een en voeg woningen toe.',
  kind: 'Soort',
  kindHint: 'Optioneel: hoe zulke groepen heten, bijvoorbeeld gebouw of kabel.',
  homes: 'Woningen',
  partOf: 'Deel van',
  ofNothing: 'niets',
  show: 'Tonen',
  showOf: (name) => `${name} tonen`,
  deleteQuestion:
    'Sleutels die tot deze groep beperkt zijn, eindigen met haar. De woningen blijven zoals ze zijn. Een groep met andere eronder kan niet worden verwijderd.',
  homesOf: (name) => `Woningen van ${name}`,
  noHomes: 'In deze groep zelf zit geen woning.',
  add: 'Woning toevoegen',
  addHint: 'E-mailadres van het account.',
  remove: 'Weghalen',
  removeQuestion: 'Ze telt in deze groep niet meer mee, ook niet in het verleden. De woning zelf blijft zoals ze is.',
  usedBy: (name) => `${name}: de laatste 30 dagen`,
  countOf: (homes) => plural(homes, { one: '# woning, één keer geteld', other: '# woningen, elk één keer geteld' }),
};
