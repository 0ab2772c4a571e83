import type { Words } from '../en.ts';
import { plural } from '../locale.ts';

export const imports: Words['imports'] = {
  title: 'Importar dispositivos',
  about:
    'Empareja de una vez todos los dispositivos de una tabla: todos o, con un solo error, ninguno. La misma tabla otra vez no cambia nada.',
  columns:
    'La primera línea nombra las columnas: `type`, `location`, de quién es el dispositivo (`email` o `user_id`) y cualquier otro campo de `POST /v1/devices`, como `external_id`. Guárdala como CSV UTF-8, con comas entre las celdas y 20.000 filas como máximo.',
  file: 'Tabla (CSV)',
  createUsers: 'Crear cuentas para las direcciones de correo que no tienen',
  check: 'Comprobar',
  checking: 'Comprobando la tabla…',
  outcome: 'Resultado de la tabla',
  noTable: {
    tooLarge: 'El archivo supera los 8 MiB. Divídelo en varias tablas.',
    notText: 'El archivo no está en UTF-8. Guárdalo en la hoja de cálculo como «CSV UTF-8».',
    semicolons: 'Las celdas están separadas por punto y coma. Guarda la tabla con comas entre las celdas.',
    unreadable: 'El archivo ya no se puede leer. Elígelo otra vez.',
  },
  mistakes: (mistakes) =>
    plural(mistakes, {
      one: '# error. No se ha importado nada: corrige la tabla y elígela otra vez.',
      other: '# errores. No se ha importado nada: corrige la tabla y elígela otra vez.',
    }),
  more: (mistakes) => plural(mistakes, { one: '# error más no se muestra.', other: '# errores más no se muestran.' }),
  line: 'Línea',
  column: 'Columna',
  wrong: 'Qué está mal',
  wholeLine: 'toda la línea',
  wholeTable: 'todas',
  right: 'La tabla no tiene errores. Todavía no se ha importado nada.',
  nothing: 'Todos sus dispositivos ya existen: no hay nada que importar.',
  rows: 'Filas',
  created: 'Dispositivos que se emparejarán',
  existing: 'Dispositivos que ya existen',
  usersCreated: 'Cuentas que se crearán',
  differing: (rows) =>
    plural(rows, {
      one: '# fila difiere de su dispositivo, que se queda como está',
      other: '# filas difieren de sus dispositivos, que se quedan como están',
    }),
  ofLine: (line) => `Línea ${line}:`,
  import: (devices) => plural(devices, { one: 'Importar # dispositivo', other: 'Importar # dispositivos' }),
  importing: (devices) =>
    plural(devices, {
      one: 'Importando # dispositivo…',
      other: 'Importando # dispositivos, todos o ninguno. Con miles tarda unos segundos…',
    }),
  done: 'Dispositivos importados',
  imported: (created, existing, users) =>
    `${plural(created, { one: '# dispositivo emparejado', other: '# dispositivos emparejados' })}, ${plural(existing, { one: '# ya existía', other: '# ya existían' })}, ${plural(users, { one: '# cuenta creada', other: '# cuentas creadas' })}.`,
  once: '**Descarga ahora las contraseñas de los nuevos dispositivos: se entregan una sola vez**, en el plazo de un día. Sin ellas ningún dispositivo puede conectarse. Solo se guardan huellas.',
  waiting: (devices, ago) =>
    plural(devices, {
      one: `La contraseña de # dispositivo importado ${ago} todavía espera.`,
      other: `Las contraseñas de # dispositivos importados ${ago} todavía esperan.`,
    }),
  takeAlong: 'Descargar contraseñas',
  fileName: 'contrasenas',
  ready: (name) => `${name} se ha descargado. Guarda el archivo como guardas las contraseñas.`,
  another: 'Importar otra tabla',
};
