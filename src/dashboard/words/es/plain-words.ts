import type { Words } from '../en.ts';
import { plural } from '../locale.ts';

export const plainWords: Words['plainWords'] = {
  title: 'Conviene saber',
  staysOn: (least, usual, since) =>
    `Algo sigue encendido: desde ${since} tu casa nunca ha consumido menos de ${least}. En sus cuartos de hora más tranquilos suele ser ${usual}.`,
  staysOnCost: (perDay) => `Si sigue así, son ${perDay} más al día.`,
  staysOnDevice: (location) => `La mayor parte es ${location}.`,
  staysOnLook: '¿Una nevera con la puerta mal cerrada, un calefactor olvidado o algo nuevo que funciona todo el día?',
  nightRose: (quiet, usual) =>
    `Tus noches consumen más que antes: ${quiet} en sus dos horas más tranquilas, que eran ${usual} en las cuatro semanas anteriores.`,
  nightRoseLook: '¿Una nevera o un congelador que casi ya no para, o un aparato que se quedó en espera?',
  deviceUsesMore: (location, energy, usual) =>
    `${location} consumió ${energy} en las últimas 24 horas. Casi todos los demás días es ${usual}.`,
  deviceUsesMoreLook: 'Si es una nevera o un congelador: ¿está cerrada la puerta, entera la junta, hace hielo?',
  productionMissing: (since, expected) =>
    `Tus placas no han producido nada desde ${since}. Incluso en un mal día ya serían ${expected}.`,
  productionSilent: (since, expected) =>
    `No se sabe nada de tus placas desde ${since}. Incluso en un mal día ya habrían producido ${expected}.`,
  productionMissingLook: 'Mira el inversor. La nieve sobre las placas se ve igual desde aquí.',
  unusualDay: (date, energy, usual, weekday) =>
    `${date} fue poco habitual para un ${weekday}: ${energy}, cuando suele ser ${usual}.`,
  cheaperTariff: (name, would, paid, start, end) =>
    `Con «${name}» habrías pagado ${would} en vez de ${paid}, del ${start} al ${end}.`,
  cheaperTariffLook:
    'Calculado con lo que consumiste en cada cuarto de hora, como si esa tarifa hubiera regido todo el tiempo.',
  compared: {
    title: 'Con qué se compara',
    titleOf: (remark) => `Con qué se compara: ${remark}`,
    when: 'Cuándo',
    level: 'Consumo mínimo',
    quiet: 'Dos horas más tranquilas',
    used: 'Consumo',
    made: 'Producción',
    upTo: (time) => `día hasta ${time}`,
    thisOne: (name) => `${name} (este)`,
    picture: (count, usual, now) =>
      `${plural(count, { one: '# día antes', other: '# días antes' })}, casi siempre ${usual}; este ${now}`,
  },
  forecast: {
    title: 'Fin de este mes',
    expected: (energy) => `Unos **${energy}** al final del mes.`,
    range: (low, high, percent) => `En ${percent} de cada 100 meses estará entre ${low} y ${high}.`,
    cost: (cost, low, high) => `Eso cuesta unos **${cost}**, entre ${low} y ${high}.`,
    soFar: (energy, days) =>
      plural(days, {
        one: `${energy} hasta ahora; ha pasado # día.`,
        other: `${energy} hasta ahora; han pasado # días.`,
      }),
    wasOff: (share, months) =>
      plural(months, {
        one: `El mismo día de un mes anterior, la previsión se desvió un ${share}.`,
        other: `El mismo día de tus últimos # meses, la previsión se desvió de media un ${share}.`,
      }),
    noPast: 'Lo bien que acierta con tu casa se sabrá tras los primeros meses enteros.',
    evidence: 'Lo que habría dicho antes',
    month: 'Mes',
    said: 'Habría dicho',
    cameTo: 'Fue',
    off: 'Desviación',
    lastYear: 'Mismo mes del año anterior: desviación',
  },
};
