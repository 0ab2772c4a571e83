import type { Words } from '../en.ts';
import { plural } from '../locale.ts';

export const groups: Words['groups'] = {
  about:
    'Viviendas que van juntas: un edificio, una línea, un barrio. Un grupo muestra lo que todas sus viviendas consumieron juntas, incluidas las de los grupos que tiene debajo.',
  yours: 'Grupos de viviendas',
  create: 'Nuevo grupo',
  list: 'Lista de grupos',
  empty: 'Todavía no hay ningún grupo. Crea uno y añádele viviendas.',
  kind: 'Tipo',
  kindHint: 'Opcional: cómo se llaman estos grupos, por ejemplo edificio o línea.',
  homes: 'Viviendas',
  partOf: 'Parte de',
  ofNothing: 'ninguno',
  show: 'Mostrar',
  showOf: (name) => `Mostrar ${name}`,
  deleteQuestion:
    'Las claves limitadas a este grupo terminan con él. Sus viviendas quedan como están. Un grupo que tiene otros debajo no se puede eliminar.',
  homesOf: (name) => `Viviendas de ${name}`,
  noHomes: 'En este grupo mismo no hay ninguna vivienda.',
  add: 'Añadir vivienda',
  addHint: 'Correo electrónico de la cuenta.',
  remove: 'Quitar',
  removeQuestion: 'Deja de contar en este grupo, también en el pasado. La vivienda misma queda como está.',
  usedBy: (name) => `${name}: los últimos 30 días`,
  countOf: (homes) =>
    plural(homes, { one: '# vivienda, contada una vez', other: '# viviendas, cada una contada una vez' }),
};
