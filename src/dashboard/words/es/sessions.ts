import type { Words } from '../en.ts';

export const sessions: Words['sessions'] = {
  question: 'En ese navegador la sesión se cierra al instante, y hay que iniciarla de nuevo.',
  about: (email) =>
    `Navegadores en los que ${email} tiene la sesión iniciada. Si no reconoces alguno, termínalo y revoca las claves de API que no sean tuyas.`,
  emailTitle: 'Dirección de correo',
  emailNow: (email) => `Tu cuenta tiene la dirección **${email}**.`,
  emailPending: (email) =>
    `Un correo a **${email}** contiene un enlace. La dirección cambia cuando lo uses, en un plazo de 7 días. ¿No llega el correo? Mira en la carpeta de spam o envíalo otra vez.`,
  newEmail: 'Dirección nueva',
  newEmailHint:
    'Recibirás allí un correo con un enlace que la confirma. Entonces terminan todas las claves de API y las demás sesiones, y los webhooks quedan en pausa.',
  changeEmail: 'Cambiar la dirección',
  sendAgain: 'Enviar otra vez',
  withdraw: 'Retirar',
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
