import type { Words } from '../en.ts';

export const provider: Words['provider'] = {
  with: (label) => `Iniciar sesión con ${label}`,
  or: 'o',
  problems: {
    over: 'Este inicio de sesión ha caducado o se empezó en otro navegador. Empieza de nuevo.',
    denied: 'Se canceló el inicio de sesión.',
    unavailable:
      'Ahora no se puede contactar con el servicio de inicio de sesión. Vuelve a intentarlo más tarde o pide un enlace por correo.',
    failed:
      'El servicio de inicio de sesión no respondió como debía. Empieza de nuevo; si no ayuda, pregunta a quien gestiona este servicio.',
    many: 'Demasiados inicios de sesión desde aquí. Vuelve a intentarlo dentro de un minuto.',
    unverified:
      'El servicio de inicio de sesión no ha verificado tu correo electrónico. Verifícalo allí o pide un enlace por correo.',
    unknown: 'Aquí no hay ninguna cuenta con tu correo electrónico. Pídesela a quien gestiona este servicio.',
    domain: 'Con un correo electrónico como el tuyo no se puede iniciar sesión aquí.',
    taken:
      'La cuenta de tu correo electrónico pertenece al inicio de sesión de otra persona. Pregunta a quien gestiona este servicio.',
    roles: 'El servicio de inicio de sesión no dijo qué puedes hacer. Pregunta a quien gestiona este servicio.',
    unusable: 'El servicio de inicio de sesión no dijo quién eres. Pregunta a quien gestiona este servicio.',
  },
};
