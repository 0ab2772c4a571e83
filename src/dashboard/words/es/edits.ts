import type { Words } from '../en.ts';

export const edits: Words['edits'] = {
  title: 'Lecturas editadas a mano',
  about:
    'Lo que alguien sabe de unas lecturas y ninguna regla puede ver. Las ediciones quedan a la vista; nada de lo que envió el dispositivo se elimina.',
  list: 'Lista de ediciones',
  none: 'No se ha editado nada.',
  new: 'Nueva edición',
  what: 'Qué',
  actions: { exclude: 'Unas lecturas no cuentan', add: 'He leído el contador' },
  actionHints: {
    exclude:
      'Las lecturas de ese tiempo se pasan por alto, también las que lleguen después. En el hueco de un contador su energía se reparte por igual.',
    add: 'Cuenta como una lectura que llega tarde. Si no encaja con las demás no cuenta, como cualquier otra.',
  },
  quantity: 'Magnitud',
  every: 'todas las magnitudes',
  at: 'Leído el',
  value: (units: string) => `Marcaba (${units})`,
  from: 'Desde',
  to: 'Hasta (sin incluir)',
  zone: (zone: string) => `Horas de ${zone}.`,
  reason: 'Motivo',
  reasonHint: 'Lo lee quien lo consulte más tarde.',
  when: 'Cuándo',
  made: 'Creada',
  fromTo: (from: string, to: string) => `${from} a ${to}`,
  excludedOf: (quantity: string) => `No cuenta: ${quantity}`,
  readOf: (value: string, quantity: string) => `Leído a mano: ${value} (${quantity})`,
  statuses: { in_force: 'vigente', revoked: 'revocada' },
  waits: 'se está calculando',
  you: 'tú',
  erased: 'cuenta borrada',
  revoke: 'Revocar',
  revokeQuestion:
    'El consumo de este dispositivo se calcula entonces como si la edición no hubiera existido. Sigue en esta lista. No puede volver a estar vigente, pero sí hacerse de nuevo.',
  wrong: (message: string) => `El servicio dice: ${message}`,
};
