import type { Words } from '../en.ts';
import { plural } from '../locale.ts';

export const imports: Words['imports'] = {
  title: 'Apparaten importeren',
  about:
    'Koppelt alle apparaten van een tabel in één keer: allemaal of, bij één enkele fout, geen. Dezelfde tabel nog eens verandert niets.',
  columns:
    'De eerste regel noemt de kolommen: `type`, `location`, van wie het apparaat is (`email` of `user_id`) en elk ander veld van `POST /v1/devices`, zoals `external_id`. Sla de tabel op als CSV UTF-8, met komma’s tussen de cellen en hoogstens 20.000 rijen.',
  file: 'Tabel (CSV)',
  createUsers: 'Accounts aanmaken voor e-mailadressen die er geen hebben',
  check: 'Controleren',
  checking: 'De tabel wordt gecontroleerd …',
  outcome: 'Wat er van de tabel is geworden',
  noTable: {
    tooLarge: 'Het bestand is groter dan 8 MiB. Verdeel het over meer tabellen.',
    notText: 'Het bestand is geen UTF-8. Sla het in het rekenblad op als ‘CSV UTF-8’.',
    semicolons: 'De cellen zijn gescheiden door puntkomma’s. Sla de tabel op met komma’s tussen de cellen.',
    unreadable: 'Het bestand is niet meer te lezen. Kies het opnieuw.',
  },
  mistakes: (mistakes) =>
    plural(mistakes, {
      one: '# fout. Er is niets geïmporteerd: verbeter de tabel en kies die opnieuw.',
      other: '# fouten. Er is niets geïmporteerd: verbeter de tabel en kies die opnieuw.',
    }),
  more: (mistakes) =>
    plural(mistakes, { one: '# andere fout wordt niet getoond.', other: '# andere fouten worden niet getoond.' }),
  line: 'Regel',
  column: 'Kolom',
  wrong: 'Wat er fout is',
  wholeLine: 'de hele regel',
  wholeTable: 'alle',
  right: 'De tabel heeft geen fouten. Er is nog niets geïmporteerd.',
  nothing: 'Alle apparaten ervan zijn er al: er is niets te importeren.',
  rows: 'Rijen',
  created: 'Apparaten die worden gekoppeld',
  existing: 'Apparaten die er al zijn',
  usersCreated: 'Accounts die worden aangemaakt',
  differing: (rows) =>
    plural(rows, {
      one: '# rij wijkt af van het apparaat, dat blijft zoals het is',
      other: '# rijen wijken af van hun apparaten, die blijven zoals ze zijn',
    }),
  ofLine: (line) => `Regel ${line}:`,
  import: (devices) => plural(devices, { one: '# apparaat importeren', other: '# apparaten importeren' }),
  importing: (devices) =>
    plural(devices, {
      one: '# apparaat wordt geïmporteerd …',
      other: '# apparaten worden geïmporteerd, allemaal of geen. Bij duizenden duurt dat enkele seconden …',
    }),
  done: 'Geïmporteerde apparaten',
  imported: (created, existing, users) =>
    `${plural(created, { one: '# apparaat is gekoppeld', other: '# apparaten zijn gekoppeld' })}, ${plural(existing, { one: '# was er al', other: '# waren er al' })}, ${plural(users, { one: '# account is aangemaakt', other: '# accounts zijn aangemaakt' })}.`,
  once: '**Download de wachtwoorden van de nieuwe apparaten nu: ze worden één keer gegeven**, binnen een dag. Zonder kan geen apparaat inloggen. Alleen vingerafdrukken worden bewaard.',
  waiting: (devices, ago) =>
    plural(devices, {
      one: `Het wachtwoord van # apparaat dat ${ago} is geïmporteerd, wacht nog.`,
      other: `De wachtwoorden van # apparaten die ${ago} zijn geïmporteerd, wachten nog.`,
    }),
  takeAlong: 'Wachtwoorden downloaden',
  fileName: 'wachtwoorden',
  ready: (name) => `${name} is gedownload. Bewaar het bestand zoals je wachtwoorden bewaart.`,
  another: 'Nog een tabel importeren',
};
