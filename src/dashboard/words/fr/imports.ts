import type { Words } from '../en.ts';
import { plural } from '../locale.ts';

export const imports: Words['imports'] = {
  title: 'Importer des appareils',
  about:
    'Associe d’un coup tous les appareils d’un tableau : tous ou, à la moindre erreur, aucun. Le même tableau une seconde fois ne change rien.',
  columns:
    'La première ligne nomme les colonnes : `type`, `location`, à qui est l’appareil (`email` ou `user_id`) et tout autre champ de `POST /v1/devices`, comme `external_id`. Enregistrez-le en CSV UTF-8, avec des virgules entre les cellules et 20 000 lignes au plus.',
  file: 'Tableau (CSV)',
  createUsers: 'Créer des comptes pour les adresses e-mail qui n’en ont pas',
  check: 'Vérifier',
  checking: 'Vérification du tableau…',
  outcome: 'Résultat du tableau',
  noTable: {
    tooLarge: 'Le fichier dépasse 8 Mio. Répartissez-le en plusieurs tableaux.',
    notText: 'Le fichier n’est pas en UTF-8. Enregistrez-le dans le tableur en « CSV UTF-8 ».',
    semicolons:
      'Les cellules sont séparées par des points-virgules. Enregistrez le tableau avec des virgules entre les cellules.',
    unreadable: 'Le fichier ne peut plus être lu. Choisissez-le à nouveau.',
  },
  mistakes: (mistakes) =>
    plural(mistakes, {
      one: '# erreur. Rien n’a été importé : corrigez le tableau et choisissez-le à nouveau.',
      other: '# erreurs. Rien n’a été importé : corrigez le tableau et choisissez-le à nouveau.',
    }),
  more: (mistakes) =>
    plural(mistakes, { one: '# autre erreur n’est pas montrée.', other: '# autres erreurs ne sont pas montrées.' }),
  line: 'Ligne',
  column: 'Colonne',
  wrong: 'Ce qui ne va pas',
  wholeLine: 'toute la ligne',
  wholeTable: 'toutes',
  right: 'Le tableau est sans erreur. Rien n’est encore importé.',
  nothing: 'Tous ses appareils existent déjà : il n’y a rien à importer.',
  rows: 'Lignes',
  created: 'Appareils à associer',
  existing: 'Appareils déjà présents',
  usersCreated: 'Comptes à créer',
  differing: (rows) =>
    plural(rows, {
      one: '# ligne diffère de son appareil, qui reste tel quel',
      other: '# lignes diffèrent de leurs appareils, qui restent tels quels',
    }),
  ofLine: (line) => `Ligne ${line} :`,
  import: (devices) => plural(devices, { one: 'Importer # appareil', other: 'Importer # appareils' }),
  importing: (devices) =>
    plural(devices, {
      one: 'Importation de # appareil…',
      other: 'Importation de # appareils, tous ou aucun. À plusieurs milliers, cela prend quelques secondes…',
    }),
  done: 'Appareils importés',
  imported: (created, existing, users) =>
    `${plural(created, { one: '# appareil associé', other: '# appareils associés' })}, ${plural(existing, { one: '# déjà présent', other: '# déjà présents' })}, ${plural(users, { one: '# compte créé', other: '# comptes créés' })}.`,
  once: '**Téléchargez maintenant les mots de passe des nouveaux appareils : ils ne sont remis qu’une fois**, dans la journée. Sans eux, aucun appareil ne peut se connecter. Seules des empreintes sont conservées.',
  waiting: (devices, ago) =>
    plural(devices, {
      one: `Le mot de passe de # appareil importé ${ago} attend encore.`,
      other: `Les mots de passe de # appareils importés ${ago} attendent encore.`,
    }),
  takeAlong: 'Télécharger les mots de passe',
  fileName: 'mots-de-passe',
  ready: (name) => `${name} a été téléchargé. Conservez ce fichier comme des mots de passe.`,
  another: 'Importer un autre tableau',
};
