import type { Words } from '../en.ts';
import { plural } from '../locale.ts';

export const period: Words['period'] = {
  choose: 'Periodo',
  units: { day: 'Día', week: 'Semana', month: 'Mes', year: 'Año' },
  previous: { day: 'El día anterior', week: 'La semana anterior', month: 'El mes anterior', year: 'El año anterior' },
  next: { day: 'El día siguiente', week: 'La semana siguiente', month: 'El mes siguiente', year: 'El año siguiente' },
  goTo: 'Ir a una fecha',
  used: 'Consumido',
  usedSoFar: 'Consumido hasta ahora',
  produced: 'Producido',
  producedSoFar: 'Producido hasta ahora',
  cost: 'Coste',
  now: 'Ahora',
  average: 'Potencia media',
  /** Of a power. */
  lastMinutes: (low: string, high: string) => `Últimos 10 minutos: mínima ${low}, máxima ${high}.`,
  nowMean: (minutes) => plural(minutes, { one: 'media del último minuto', other: 'media de los últimos # minutos' }),
  before: { day: 'Una semana antes', week: 'La semana anterior', month: (weeks) => `${weeks} semanas antes` },
  lastYear: 'Un año antes',
  less: (share) => `${share} menos que entonces`,
  more: (share) => `${share} más que entonces`,
  same: 'igual que entonces',
  /** If money moved otherwise than energy. */
  energyChange: (change: string) => `Energía: ${change}`,
  costChange: (change: string) => `Coste: ${change}`,
  partKnown: (share) => `solo se conoce el ${share}`,
  likeWithLike: 'Comparado con otros tantos días, los mismos días de la semana, hasta la misma hora.',
  base: 'Siempre encendido',
  baseAYear: (energy) => `${energy} al año`,
  baseCost: (money) => `unos ${money} al año`,
  ownUsed: (energy) => `${energy} de energía propia consumidos`,
  stored: (energy) => `${energy} guardados en la batería`,
  load: 'Potencia a lo largo del día',
  typicalDay: (days) => `Un día, de media (${plural(days, { one: '# día', other: '# días' })})`,
  byDay: 'Consumo por día',
  byMonth: 'Consumo por mes',
  peak: 'pico',
  peakAt: (power, at) => `Cuarto de hora más alto: **${power}**, ${at}.`,
  baseLine: (power) => `La línea discontinua es lo que está siempre encendido: ${power}.`,
  whatUses: 'Qué consume',
  share: 'Parte',
  night: 'De noche',
  nightHours: 'Media de 0 a 5 h',
  nightMost: (device, power, energy) =>
    `De noche el aparato que más consume es **${device}**: ${power} de media, ${energy} al año.`,
  nightMostCost: (device, power, energy, money) =>
    `De noche el aparato que más consume es **${device}**: ${power} de media, ${energy} y unos ${money} al año.`,
  nightUnexplained: (power: string, energy: string) =>
    `Por la noche tu hogar consume de media **${power}**, ${energy} al año. Ningún aparato medido por separado lo explica.`,
  profileOf: (days) =>
    `Siempre encendido: las dos horas regulares más bajas de un día. De noche: media de 0 a 5 h. Ambos de los últimos ${days} días.`,
  untrackedAbout: 'ningún dispositivo propio lo dice',
  behind: (device) => `parte de ${device}`,
  gone: 'retirado',
  others: 'Contadores y fuentes',
  in: 'Entrada',
  out: 'Salida',
  noConsumers:
    'Ningún dispositivo dice lo que consume. Un enchufe inteligente o el contador de un circuito da a conocer una parte: [vincula uno].',
  climateOf: (device) => `Temperatura y calefacción: ${device}`,
  noClimate: 'No dijo nada en este tiempo.',
  week: 'Cuándo se consume más',
  commodities: { before: 'Antes', lastYear: 'Un año antes' },
  firstSteps: {
    title: 'Tres pasos hasta tus primeras cifras',
    steps: [
      '[Vincula un dispositivo]: tu contador, un lector en él o un enchufe inteligente. Recibes lo que necesita para conectarse.',
      'Envía su primera medida: la ves aquí en segundos.',
      '[Añade tu tarifa], y cada cifra tiene su precio.',
    ],
    ofOther: (email) => `${email} aún no tiene dispositivos. [Vincula uno] y su consumo aparecerá aquí.`,
  },
  waiting: {
    title: 'Aún no ha llegado ninguna medida',
    about:
      'Lo vinculado aún no ha enviado nada que cuente. [Abre tus dispositivos]: cada uno dice cuándo se le oyó por última vez y qué necesita.',
  },
  thermostatOnly:
    'Ningún contador dice lo que consume esta casa; abajo está lo que dice el termostato. [Vincula un contador] o un enchufe inteligente, y su consumo y su coste estarán al lado.',
  nothingThen: (first) => `De este tiempo no se sabe nada. Lo que se sabe empieza el [${first}].`,
  nothingSoFar: (before) => `De este tiempo aún no se sabe nada. Mira [${before}].`,
  nothing: 'De este tiempo no se sabe nada.',
  settings: 'Ajustes',
  ofHome: 'Resumen',
  offline: (ago) => `Sin red. Visto ${ago}.`,
};
