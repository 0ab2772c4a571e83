import type { Words } from '../en.ts';

export const sessions: Words['sessions'] = {
  question: 'En ese navegador la sesión se cierra al instante, y hay que iniciarla de nuevo.',
  about: (email) =>
    `Navegadores en los que ${email} tiene la sesión iniciada. Si no reconoces alguno, termínalo y revoca las claves de API que no sean tuyas.`,
  signedInTitle: 'Sesiones abiertas',
  list: 'Lista de sesiones',
  browser: 'Navegador',
  from: 'Iniciada desde',
  signedIn: 'Inicio',
  by: 'Con',
  ways: { mail: 'correo', provider: 'inicio de sesión único' },
  lastUsed: 'Último uso',
  ends: 'Termina',
  thisOne: 'este',
  unknown: 'desconocido',
  end: 'Terminar',
  program: 'Un programa',
  on: (browser, system) => `${browser} en ${system}`,
  iPhone: 'un iPhone',
  iPad: 'un iPad',
  mac: 'un Mac',
  chromebook: 'un Chromebook',
};
