import type { Words } from '../en.ts';
import { plural } from '../locale.ts';

export const groups: Words['groups'] = {
  about:
    'Haushalte, die zusammengehören: ein Gebäude, ein Netzstrang, ein Viertel. Eine Gruppe zeigt, was alle ihre Haushalte zusammen verbraucht haben, auch die der Gruppen darunter.',
  yours: 'Gruppen von Haushalten',
  create: 'Neue Gruppe',
  list: 'Liste der Gruppen',
  empty: 'Es gibt noch keine Gruppe. Legen Sie eine an und nehmen Sie Haushalte auf.',
  kind: 'Art',
  kindHint: 'Freiwillig: wie solche Gruppen heißen, zum Beispiel Gebäude oder Netzstrang.',
  homes: 'Haushalte',
  partOf: 'Teil von',
  ofNothing: 'nichts',
  show: 'Anzeigen',
  showOf: (name) => `${name} anzeigen`,
  deleteQuestion:
    'Schlüssel, die auf diese Gruppe beschränkt sind, enden mit ihr. Ihre Haushalte bleiben, wie sie sind. Eine Gruppe mit anderen darunter kann nicht gelöscht werden.',
  homesOf: (name) => `Haushalte von ${name}`,
  noHomes: 'In dieser Gruppe selbst ist kein Haushalt.',
  add: 'Haushalt aufnehmen',
  addHint: 'E-Mail-Adresse des Kontos.',
  remove: 'Entfernen',
  removeQuestion:
    'Er zählt in dieser Gruppe nicht mehr mit, auch nicht in der Vergangenheit. Der Haushalt selbst bleibt, wie er ist.',
  usedBy: (name) => `${name}: die letzten 30 Tage`,
  countOf: (homes) => plural(homes, { one: '# Haushalt, einmal gezählt', other: '# Haushalte, jeder einmal gezählt' }),
};
