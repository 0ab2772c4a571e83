import type { Words } from '../en.ts';
import { plural } from '../locale.ts';

export const unread: Words['unread'] = {
  title: (gateway, topics) =>
    plural(topics, {
      one: `Habla por ${gateway} y no se le entiende: # tipo de mensaje`,
      other: `Habla por ${gateway} y no se le entiende: # tipos de mensajes`,
    }),
  about:
    'Los mensajes que este servicio no entiende, por topic; `+` sustituye lo que cambia de un dispositivo a otro. Si entre ellos hay un contador o un enchufe suyo, quizá falte un ajuste de su pasarela, o su lenguaje aún no se conoce aquí: abra el ejemplo y diga qué son sus números.',
  messages: 'Mensajes',
  example: 'Un ejemplo',
  exampleOf: (topic) => `Un ejemplo de ${topic}`,
  show: 'Mostrar',
  none: 'no se guarda ninguno',
  others: 'todos los demás topics',
  cut: (bytes) => plural(bytes, { one: 'El principio de # byte.', other: 'El principio de # bytes.' }),
  base64: 'En base64, porque no es texto.',
};
