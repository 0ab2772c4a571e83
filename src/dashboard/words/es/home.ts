import type { Words } from '../en.ts';
import { plural } from '../locale.ts';

export const home: Words['home'] = {
  lastReading: 'Última lectura',
  timesIn: (zone) => `Horas de ${zone}.`,
  addTariff: '¿Cuánto cuesta? Añade tu tarifa',
  live: 'en directo',
  notLive: 'sin directo',
  waiting: 'a la espera de lecturas',
  commodities: { gas: 'Gas', heat: 'Calor', water: 'Agua' },
  allMeasured: 'todo medido',
  figure: {
    opens: (name, shown) => `${name}: ${shown}. De qué se compone`,
    title: (name) => `${name}: de qué se compone`,
    usedOn: (energy, day) => `**${energy}** consumidos el ${day}:`,
    usedFrom: (energy, start, end) => `**${energy}** consumidos del ${start} al ${end}:`,
    parts: (measured, estimated) => `${measured} medidos, ${estimated} estimados.`,
    known: (share) => `Se conoce el ${share} del tiempo.`,
    knownSoFar: (share) => `Se conoce el ${share} del tiempo; el día aún no ha terminado.`,
    whyEstimated:
      'Estimado: un contador calló durante más de una hora. Cuánto pasó es seguro; en cuál de esas horas, no.',
    in: 'Entrada',
    out: 'Salida',
    estimated: 'Estimado',
    notCounted: 'No contado, y por qué',
    readings: (count) => plural(count, { one: 'Una lectura', other: '# lecturas' }),
    refused: (readings, reason) => `${readings} rechazadas: ${reason}`,
    notes: {
      held: 'retenida: inverosímil, hasta que las siguientes digan qué era',
      glitch: 'omitida: inverosímil, y la siguiente encajaba con la anterior',
      late: 'tardía: lo que llegó de golpe se repartió por el tiempo del que habla',
      back: 'omitida: las siguientes encajaban con las de antes',
      reset: 'tras una puesta a cero: contada desde cero',
      rollover: 'tras dar la vuelta el contador: contada a través de ella',
      swap: 'de otro contador: nueva lectura inicial, el salto no cuenta',
      overlap: 'omitida: se solapa con otro intervalo',
    },
  },
  flows: {
    title: 'De dónde viene y adónde va',
    production: 'Producción',
    gridImport: 'Energía importada de la red',
    discharged: 'De la batería',
    gridExport: 'Excedentes vertidos a la red',
    charged: 'A la batería',
    consumption: 'Indicado por dispositivos sueltos',
    untracked: 'Sin asignar',
    used: 'Consumo',
    autarky: 'Autosuficiencia',
    unequal: 'Sin imagen: lo que entró y lo que salió no coinciden.',
    doubts: (doubts) => `No se conoce todo: ${doubts}. En Dispositivos dices dónde está cada uno.`,
    silent: 'un contador calló',
    fromNowhere: 'se vertió algo que ningún dispositivo de aquí produce',
    otherTimes: 'un dispositivo habla de un tiempo en el que otro callaba o aún no estaba',
  },
  swaps: {
    title: '¿Se sustituyó un contador?',
    fell: (location: string, before: string, after: string, at: string) =>
      `**${location}**: la lectura bajó de ${before} a ${after} el ${at}. ¿Se sustituyó el contador?`,
    leapt: (location: string, before: string, after: string, at: string) =>
      `**${location}**: la lectura saltó de ${before} a ${after} el ${at}. ¿Se sustituyó el contador?`,
    yes: 'Sí, sustituido',
    no: 'No, ignorar estas lecturas',
    /** Of the edit that excludes them. */
    reason: 'No sustituido: lecturas falsas',
  },
  heat: {
    label: 'Consumo por día de la semana y hora',
    weekday: 'Día',
    most: (weekday, hour, energy, weeks) =>
      `Cuando más se consume es el ${weekday} a las ${hour}, de media ${energy}: medias de ${plural(weeks, { one: 'la última semana', other: 'las últimas # semanas' })}.`,
  },
};
