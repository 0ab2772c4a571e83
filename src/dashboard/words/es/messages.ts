import type { Words } from '../en.ts';
import { plural } from '../locale.ts';

export const messages: Words['messages'] = {
  open: 'Leer un mensaje',
  title: (gateway) => `¿Qué dice un mensaje? ${gateway}`,
  about: 'Pega un mensaje de un dispositivo: verás qué se lee de él y por qué no. No se guarda nada.',
  topic: 'Topic del mensaje',
  topicHint: 'Tal como lo tiene el broker del dispositivo, por ejemplo tele/plug/SENSOR.',
  payload: 'Mensaje',
  retained: 'El broker lo tenía guardado (retain)',
  look: 'Mirar',
  outcomes: {
    read: (family) => `Se lee, como **${family}**.`,
    asked: (family) =>
      `Es de **${family}**. No cuenta nada hasta que digas qué es, en la página del dispositivo vinculado.`,
    refused: (family) => `Es de **${family}** y no se puede usar.`,
    nothing: (family) => `Es de **${family}**. No dice nada que se cuente.`,
    nobody: () => 'Nadie lo lee: ningún tipo de dispositivo conocido tiene un topic así con un mensaje así.',
  },
  device: 'Dispositivo',
  quantity: 'Magnitud',
  value: 'Valor',
  time: 'Hora',
  atReceipt: 'al llegar',
  isAsked: 'desconocido',
  leftOut: (count) =>
    plural(count, {
      one: 'Se omite # lectura: el broker tenía guardado el mensaje, y este no dice qué antigüedad tiene.',
      other: 'Se omiten # lecturas: el broker tenía guardado el mensaje, y este no dice qué antigüedad tiene.',
    }),
  would: (family) =>
    `Con este ajuste **${family}** lee más de él. Las zonas, unidades y números son ejemplos. Va en la \`decoder_config\` de la pasarela.`,
  setting: 'Ajuste',
  use: 'Usar este ajuste',
  useHint:
    'Antes de guardar, cambia las zonas, unidades y números que no sean los tuyos. Sustituye lo que la pasarela tiene con este nombre.',
  noSetting: 'Eso no es un objeto JSON entre llaves.',
  members: 'Qué contiene',
  membersAbout: 'Elige un número y di qué es: se leerá a partir de entonces.',
  noMembers: 'No contiene ningún número del que puedas decir qué es: tiene que ser JSON, o un número solo.',
  place: 'Lugar',
  whole: 'todo el mensaje',
  choose: 'Decir qué es',
  form: {
    title: (place) => `¿Qué es ${place}?`,
    meaning: 'Es',
    unit: 'Unidad',
    scale: 'Multiplicar por',
    scaleHint: '0,01 si son centésimas de esa unidad. Si no, vacío.',
    topic: 'En los topics',
    topicHint: 'Un + en lugar de un nivel vale por cualquiera, y da nombre al dispositivo.',
    device: 'Nombre del dispositivo',
    deviceHint: 'Vacío: lo que representa el +, o el topic.',
    circuit: 'Cuál de varios',
    circuitHint:
      'Una palabra para el segundo de su clase en un dispositivo, como pump. Se suma al primero, así que no puede ser una parte de él. Si no, vacío.',
    time: 'Su hora',
    noTime: 'al llegar',
    total: 'La energía y los volúmenes deben ser lo que el dispositivo ha contado desde siempre, no lo de un día.',
    takesOver: (family) =>
      `Ahora **${family}** lee este mensaje. En cuanto guardes, solo contará lo que tú indiques, y el dispositivo de **${family}** dejará de recibir datos de estos mensajes.`,
    try: 'Probar',
    tried: 'Con esto:',
    save: 'Guardar en la pasarela',
    saved: 'Guardado. El dispositivo aparecerá entre los descubiertos con su próximo mensaje; vincúlalo allí.',
  },
  meanings: {
    power: 'Potencia (bajo 0: vertido)',
    production: 'Producción de un dispositivo que solo produce',
  },
  mappings: {
    title: 'Lo que has dicho de los mensajes de esta pasarela',
    remove: 'Retirar',
  },
};
