import type { Words } from '../en.ts';
import { plural } from '../locale.ts';

export const groups: Words['groups'] = {
  about:
    'Des foyers qui vont ensemble : un immeuble, un départ, un quartier. Un groupe montre ce que tous ses foyers ont consommé ensemble, y compris ceux des groupes au-dessous.',
  yours: 'Groupes de foyers',
  create: 'Nouveau groupe',
  list: 'Liste des groupes',
  empty: 'Il n’y a pas encore de groupe. Créez-en un, puis ajoutez-y des foyers.',
  kind: 'Type',
  kindHint: 'Facultatif : le nom de ce genre de groupe, par exemple immeuble ou départ.',
  homes: 'Foyers',
  partOf: 'Fait partie de',
  ofNothing: 'aucun groupe',
  show: 'Afficher',
  showOf: (name) => `Afficher ${name}`,
  deleteQuestion:
    'Les clés limitées à ce groupe prennent fin avec lui. Ses foyers restent tels quels. Un groupe qui en contient d’autres ne peut pas être supprimé.',
  homesOf: (name) => `Foyers de ${name}`,
  noHomes: 'Aucun foyer ne se trouve directement dans ce groupe.',
  add: 'Ajouter un foyer',
  addHint: 'Adresse e-mail du compte.',
  remove: 'Retirer',
  removeQuestion: 'Il ne compte plus dans ce groupe, passé compris. Le foyer lui-même reste tel quel.',
  usedBy: (name) => `${name} : les 30 derniers jours`,
  countOf: (homes) => plural(homes, { one: '# foyer, compté une fois', other: '# foyers, chacun compté une fois' }),
};
