import type { Words } from '../en.ts';
import { count, plural } from '../locale.ts';

const within = {
  peak_usage: 'una hora',
  daily_usage: 'un día',
  monthly_usage: 'un mes',
  daily_cost: 'un día',
  monthly_cost: 'un mes',
};
const times = (value: number) => (value === 1 ? 'una vez' : `${count(value)} veces`);
const onDays = (days: number) => plural(days, { one: 'en # día', other: 'en # días distintos' });

export const alerts: Words['alerts'] = {
  aboutOwn: (zone) =>
    `Una alerta avisa cuando tu casa consume o paga más de lo debido, o cuando un dispositivo calla. Los periodos son horas, días y meses de ${zone}.`,
  about: (email, zone) =>
    `Una alerta avisa cuando ${email} consume o paga más de lo debido, o cuando un dispositivo calla. Los periodos son horas, días y meses de ${zone}.`,
  yours: 'Tus alertas',
  of: (email) => `Alertas de ${email}`,
  create: 'Crear una alerta',
  createShort: 'Crear alerta',
  list: 'Lista de alertas',
  empty:
    'Aún no hay ninguna alerta. Pulsa **Crear una alerta**: verás en cuáles de los últimos 90 días habría saltado, antes de crearla.',
  paused: (rule) => `En pausa: ${rule}. No salta hasta que se reanude.`,
  resumed: (rule) => `Reanudada: ${rule}.`,
  deleted: (rule) => `Eliminada: ${rule}.`,
  created: (rule) => `Creada: ${rule}. Vigila desde ahora.`,
  saved: (rule) => `Guardada: ${rule}.`,
  alert: 'Alerta',
  toldBy: 'Aviso por',
  history: 'Historial',
  historyOf: (rule) => `Historial: ${rule}`,
  editOf: (rule) => `Editar: ${rule}`,
  pause: 'Pausar',
  resume: 'Reanudar',
  deleteQuestion: 'Deja de saltar y se elimina su historial. Para silenciarla un tiempo, ponla en pausa.',
  types: {
    peak_usage: { name: 'Una hora', meaning: 'consume más de …', label: 'Más de, kWh en una hora' },
    daily_usage: { name: 'Un día', meaning: 'consume más de …', label: 'Más de, kWh en un día' },
    monthly_usage: { name: 'Un mes', meaning: 'consume más de …', label: 'Más de, kWh en un mes' },
    daily_cost: { name: 'Coste diario', meaning: 'de más de …', label: 'Más de, dinero al día' },
    monthly_cost: { name: 'Coste mensual', meaning: 'de más de …', label: 'Más de, dinero al mes' },
    no_data: {
      name: 'Silencio',
      meaning: 'un dispositivo no envía nada durante …',
      label: 'En silencio durante, horas',
    },
  },
  deliveries: { email: 'Correo', sms: 'SMS', webhook: 'Webhook' },
  silentFor: (hours) => plural(hours, { one: 'En silencio # hora', other: 'En silencio # horas' }),
  costsMore: (amount, type) => `Cuesta más de ${amount} en ${within[type]}`,
  usesMore: (amount, type) => `Más de ${amount} kWh en ${within[type]}`,
  watch: 'Vigilar',
  hints: {
    looking: 'Mirando los últimos 90 días …',
    currency: 'En la moneda de la tarifa.',
    in: (currency) => `En ${currency}.`,
    suggestedIn: (currency, amount) =>
      `En ${currency}. Sugerencia: ${amount}. En los últimos 90 días pocas veces se superó.`,
    suggestedHours: (hours) => `Sugerencia: ${hours}. En los últimos 90 días pocos silencios fueron más largos.`,
    suggested: (amount) => `Sugerencia: ${amount}. En los últimos 90 días pocas veces se superó.`,
    usual: (amount) => `Sugerencia: ${amount}, que es mucho para un hogar.`,
  },
  tell: {
    legend: 'Avisar por',
    to: (address) => `a ${address}`,
    toPhone: 'a un teléfono',
    toProgram: 'a un programa',
    phone: 'Número de teléfono',
    phoneHint: 'Con el prefijo del país, como +34612345678. Se guarda con la cuenta.',
    phoneForm: '+, prefijo del país y número, solo cifras',
    youHaveNone: '**Aún no se podría avisar a nadie: no tienes ninguna suscripción activa a** `alert.triggered`**.**',
    hasNone: (email) =>
      `**Aún no se podría avisar a nadie: ${email} no tiene ninguna suscripción activa a** \`alert.triggered\`**.**`,
    needed: 'Hace falta una suscripción activa a `alert.triggered`.',
    makeOne: '[Crea una en la página Webhooks] y vuelve.',
    theirs: (email) => `Debe ser de esa misma cuenta: ${email} la crea, con su sesión aquí, en la página Webhooks.`,
  },
  firings: {
    list: 'Avisos',
    fired: 'Saltó',
    silentSince: 'En silencio desde',
    period: 'Periodo',
    costByThen: 'Coste hasta entonces',
    usedByThen: 'Consumo hasta entonces',
    oncePerSilence: 'Salta una vez por cada silencio de un dispositivo.',
    oncePerPeriod: 'Salta una vez en cada periodo, en cuanto el total supera el umbral de entonces.',
    none: 'Aún no ha saltado.',
    span: (from, to) => `${from} a ${to}`,
  },
  preview: {
    label: 'Vista previa',
    typeOne: '¿Cuándo habría saltado? Escribe un umbral para verlo.',
    noUsage: (days) => `No se conoce consumo de los últimos ${days} días. La alerta vigila las lecturas nuevas.`,
    noCost: (days) => `No se conoce coste de los últimos ${days} días. La alerta vigila las lecturas nuevas.`,
    titles: {
      peak_usage: 'Hora más alta de cada día',
      daily_usage: 'Consumo por días',
      monthly_usage: 'Consumo por meses',
      daily_cost: 'Coste por días',
      monthly_cost: 'Coste por meses',
    },
    mark: 'habría saltado',
    never: (rule, days) => `${rule}: **no habría saltado** en los últimos ${days} días.`,
    fired: (rule, fired, days) => `${rule}: **habría saltado ${times(fired)}** en los últimos ${days} días.`,
    firedAtLeast: (rule, fired, days) =>
      `${rule}: **habría saltado al menos ${times(fired)}** en los últimos ${days} días.`,
    firedOn: (rule, fired, days, on) =>
      `${rule}: **habría saltado ${times(fired)}** en los últimos ${days} días, ${onDays(on)}.`,
    firedAtLeastOn: (rule, fired, days, on) =>
      `${rule}: **habría saltado al menos ${times(fired)}** en los últimos ${days} días, ${onDays(on)}.`,
  },
  silences: {
    list: 'Silencios',
    for: 'Duración',
    hours: (hours) => plural(hours, { one: '# hora', other: '# horas' }),
    days: (days) => plural(days, { one: '# día', other: '# días' }),
    still: (length) => `${length}, todavía`,
  },
};
