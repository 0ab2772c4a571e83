import type { Words } from '../en.ts';
import { count, plural } from '../locale.ts';

const within = {
  peak_usage: 'een uur',
  daily_usage: 'een dag',
  monthly_usage: 'een maand',
  daily_cost: 'een dag',
  monthly_cost: 'een maand',
};
const onDays = (days: number) => plural(days, { one: 'op # dag', other: 'op # verschillende dagen' });

export const alerts: Words['alerts'] = {
  aboutOwn: (zone) =>
    `Een melding komt als je thuis meer verbruikt of betaalt dan de bedoeling is, of als een apparaat stilvalt. Perioden zijn uren, dagen en maanden van ${zone}.`,
  about: (email, zone) =>
    `Een melding komt als ${email} meer verbruikt of betaalt dan de bedoeling is, of als een apparaat stilvalt. Perioden zijn uren, dagen en maanden van ${zone}.`,
  yours: 'Jouw meldingen',
  of: (email) => `Meldingen van ${email}`,
  create: 'Melding instellen',
  createShort: 'Instellen',
  list: 'Lijst van meldingen',
  empty:
    'Er is nog geen melding. Druk op **Melding instellen**: je ziet op welke van de laatste 90 dagen die zou zijn gekomen, voordat je hem instelt.',
  paused: (rule) => `Gepauzeerd: ${rule}. Er komt geen melding tot je hem hervat.`,
  resumed: (rule) => `Hervat: ${rule}.`,
  deleted: (rule) => `Verwijderd: ${rule}.`,
  created: (rule) => `Ingesteld: ${rule}. Hij let vanaf nu op.`,
  saved: (rule) => `Opgeslagen: ${rule}.`,
  alert: 'Melding',
  toldBy: 'Gemeld per',
  history: 'Geschiedenis',
  historyOf: (rule) => `Geschiedenis: ${rule}`,
  editOf: (rule) => `Bewerken: ${rule}`,
  pause: 'Pauzeren',
  resume: 'Hervatten',
  deleteQuestion:
    'Er komt geen melding meer en de geschiedenis wordt verwijderd. Moet hij even zwijgen, pauzeer hem dan.',
  types: {
    peak_usage: { name: 'Een uur', meaning: 'verbruikt meer dan …', label: 'Meer dan, kWh in een uur' },
    daily_usage: { name: 'Een dag', meaning: 'verbruikt meer dan …', label: 'Meer dan, kWh in een dag' },
    monthly_usage: { name: 'Een maand', meaning: 'verbruikt meer dan …', label: 'Meer dan, kWh in een maand' },
    daily_cost: { name: 'Kosten per dag', meaning: 'van meer dan …', label: 'Meer dan, geld per dag' },
    monthly_cost: { name: 'Kosten per maand', meaning: 'van meer dan …', label: 'Meer dan, geld per maand' },
    no_data: { name: 'Stilte', meaning: 'een apparaat stuurt niets gedurende …', label: 'Stil gedurende, uren' },
  },
  deliveries: { email: 'E-mail', sms: 'Sms', webhook: 'Webhook' },
  silentFor: (hours) => plural(hours, { one: '# uur stil', other: '# uur stil' }),
  costsMore: (amount, type) => `Kost meer dan ${amount} in ${within[type]}`,
  usesMore: (amount, type) => `Meer dan ${amount} kWh in ${within[type]}`,
  watch: 'Let op',
  hints: {
    looking: 'De laatste 90 dagen worden bekeken …',
    currency: 'In de valuta van het tarief.',
    in: (currency) => `In ${currency}.`,
    suggestedIn: (currency, amount) =>
      `In ${currency}. Voorstel: ${amount}. In de laatste 90 dagen lag er weinig boven.`,
    suggestedHours: (hours) => `Voorstel: ${hours}. In de laatste 90 dagen duurde bijna geen stilte langer.`,
    suggested: (amount) => `Voorstel: ${amount}. In de laatste 90 dagen lag er weinig boven.`,
    usual: (amount) => `Voorstel: ${amount}, wat veel is voor een huishouden.`,
  },
  tell: {
    legend: 'Melden per',
    to: (address) => `aan ${address}`,
    toPhone: 'aan een telefoon',
    toProgram: 'aan een programma',
    phone: 'Telefoonnummer',
    phoneHint: 'Met landnummer, zoals +31612345678. Het wordt bij het account bewaard.',
    phoneForm: '+, het landnummer en het nummer, alleen cijfers',
    youHaveNone: '**Er kan nog niemand worden ingelicht: je hebt geen actief abonnement op** `alert.triggered`**.**',
    hasNone: (email) =>
      `**Er kan nog niemand worden ingelicht: ${email} heeft geen actief abonnement op** \`alert.triggered\`**.**`,
    needed: 'Hiervoor is een actief abonnement op `alert.triggered` nodig.',
    makeOne: '[Maak er een op de pagina Webhooks] en kom dan terug.',
    theirs: (email) => `Het moet van dat account zelf zijn: ${email} maakt het, hier ingelogd, op de pagina Webhooks.`,
  },
  firings: {
    list: 'Gekomen meldingen',
    fired: 'Gemeld',
    silentSince: 'Stil sinds',
    period: 'Periode',
    costByThen: 'Kosten tot dan',
    usedByThen: 'Verbruik tot dan',
    oncePerSilence: 'Voor elke stilte van een apparaat komt één melding.',
    oncePerPeriod: 'In elke periode komt één melding, zodra het totaal boven de drempel van dat moment ligt.',
    none: 'Er is nog geen melding gekomen.',
    span: (from, to) => `${from} tot ${to}`,
  },
  preview: {
    label: 'Voorbeeld',
    typeOne: 'Wanneer zou de melding zijn gekomen? Typ een drempel.',
    noUsage: (days) => `Van de laatste ${days} dagen is geen verbruik bekend. De melding let op nieuwe metingen.`,
    noCost: (days) => `Van de laatste ${days} dagen zijn geen kosten bekend. De melding let op nieuwe metingen.`,
    titles: {
      peak_usage: 'Hoogste uur van elke dag',
      daily_usage: 'Verbruik per dag',
      monthly_usage: 'Verbruik per maand',
      daily_cost: 'Kosten per dag',
      monthly_cost: 'Kosten per maand',
    },
    mark: 'zou zijn gemeld',
    never: (rule, days) => `${rule}: **zou** in de laatste ${days} dagen **niet zijn gemeld**.`,
    fired: (rule, times, days) => `${rule}: **zou** in de laatste ${days} dagen **${count(times)} keer zijn gemeld**.`,
    firedAtLeast: (rule, times, days) =>
      `${rule}: **zou** in de laatste ${days} dagen **minstens ${count(times)} keer zijn gemeld**.`,
    firedOn: (rule, times, days, on) =>
      `${rule}: **zou** in de laatste ${days} dagen **${count(times)} keer zijn gemeld**, ${onDays(on)}.`,
    firedAtLeastOn: (rule, times, days, on) =>
      `${rule}: **zou** in de laatste ${days} dagen **minstens ${count(times)} keer zijn gemeld**, ${onDays(on)}.`,
  },
  silences: {
    list: 'Stiltes',
    for: 'Duur',
    hours: (hours) => plural(hours, { one: '# uur', other: '# uur' }),
    days: (days) => plural(days, { one: '# dag', other: '# dagen' }),
    still: (length) => `${length}, duurt voort`,
  },
};
