import type { Words } from '../en.ts';
import { plural } from '../locale.ts';

export const imports: Words['imports'] = {
  title: 'Geräte importieren',
  about:
    'Koppelt alle Geräte einer Tabelle auf einmal: alle oder, bei einem einzigen Fehler, keines. Dieselbe Tabelle noch einmal ändert nichts.',
  columns:
    'Die erste Zeile nennt die Spalten: `type`, `location`, wem das Gerät gehört (`email` oder `user_id`) und jedes weitere Feld von `POST /v1/devices`, etwa `external_id`. Speichern Sie sie als CSV UTF-8, mit Kommas zwischen den Zellen und höchstens 20.000 Zeilen.',
  file: 'Tabelle (CSV)',
  createUsers: 'Konten für E-Mail-Adressen anlegen, die noch keines haben',
  check: 'Prüfen',
  checking: 'Die Tabelle wird geprüft …',
  outcome: 'Was aus der Tabelle wurde',
  noTable: {
    tooLarge: 'Die Datei ist größer als 8 MiB. Teilen Sie sie in mehrere Tabellen auf.',
    notText: 'Die Datei ist nicht in UTF-8. Speichern Sie sie in der Tabellenkalkulation als „CSV UTF-8“.',
    semicolons:
      'Die Zellen sind durch Strichpunkte getrennt. Speichern Sie die Tabelle mit Kommas zwischen den Zellen.',
    unreadable: 'Die Datei ist nicht mehr lesbar. Wählen Sie sie noch einmal aus.',
  },
  mistakes: (mistakes) =>
    plural(mistakes, {
      one: '# Fehler. Es wurde nichts importiert: Berichtigen Sie die Tabelle und wählen Sie sie noch einmal aus.',
      other: '# Fehler. Es wurde nichts importiert: Berichtigen Sie die Tabelle und wählen Sie sie noch einmal aus.',
    }),
  more: (mistakes) =>
    plural(mistakes, { one: '# weiterer Fehler wird nicht gezeigt.', other: '# weitere Fehler werden nicht gezeigt.' }),
  line: 'Zeile',
  column: 'Spalte',
  wrong: 'Was falsch ist',
  wholeLine: 'die ganze Zeile',
  wholeTable: 'alle',
  right: 'Die Tabelle hat keine Fehler. Importiert ist noch nichts.',
  nothing: 'Alle ihre Geräte sind schon da: Es gibt nichts zu importieren.',
  rows: 'Zeilen',
  created: 'Geräte, die gekoppelt werden',
  existing: 'Geräte, die schon da sind',
  usersCreated: 'Konten, die angelegt werden',
  differing: (rows) =>
    plural(rows, {
      one: '# Zeile weicht von ihrem Gerät ab, das bleibt, wie es ist',
      other: '# Zeilen weichen von ihren Geräten ab, die bleiben, wie sie sind',
    }),
  ofLine: (line) => `Zeile ${line}:`,
  import: (devices) => plural(devices, { one: '# Gerät importieren', other: '# Geräte importieren' }),
  importing: (devices) =>
    plural(devices, {
      one: '# Gerät wird importiert …',
      other: '# Geräte werden importiert, alle oder keines. Bei Tausenden dauert das einige Sekunden …',
    }),
  done: 'Importierte Geräte',
  imported: (created, existing, users) =>
    `${plural(created, { one: '# Gerät ist gekoppelt', other: '# Geräte sind gekoppelt' })}, ${plural(existing, { one: '# war schon da', other: '# waren schon da' })}, ${plural(users, { one: '# Konto wurde angelegt', other: '# Konten wurden angelegt' })}.`,
  once: '**Laden Sie die Passwörter der neuen Geräte jetzt herunter: Sie werden nur einmal herausgegeben**, innerhalb eines Tages. Ohne sie kann sich kein Gerät anmelden. Gespeichert werden nur Fingerabdrücke.',
  waiting: (devices, ago) =>
    plural(devices, {
      one: `Das Passwort von # Gerät, das ${ago} importiert wurde, wartet noch.`,
      other: `Die Passwörter von # Geräten, die ${ago} importiert wurden, warten noch.`,
    }),
  takeAlong: 'Passwörter herunterladen',
  fileName: 'passwoerter',
  ready: (name) => `${name} wurde heruntergeladen. Bewahren Sie die Datei auf wie Passwörter.`,
  another: 'Weitere Tabelle importieren',
};
