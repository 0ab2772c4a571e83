import type { Words } from '../en.ts';
import { plural } from '../locale.ts';

export const messages: Words['messages'] = {
  open: 'Bericht lezen',
  title: (gateway) => `Wat zegt een bericht? ${gateway}`,
  about:
    'Plak een bericht van een apparaat: je ziet wat eruit wordt gelezen en waarom niet. Er wordt niets van bewaard.',
  topic: 'Topic van het bericht',
  topicHint: 'Zoals de broker van het apparaat het heeft, bijvoorbeeld tele/plug/SENSOR.',
  payload: 'Bericht',
  retained: 'De broker had het bewaard (retain)',
  look: 'Kijken',
  outcomes: {
    read: (family) => `Het wordt gelezen, als **${family}**.`,
    asked: (family) =>
      `Het hoort bij **${family}**. Er telt niets van tot je op de pagina van het gekoppelde apparaat zegt wat het is.`,
    refused: (family) => `Het hoort bij **${family}** en is onbruikbaar.`,
    nothing: (family) => `Het hoort bij **${family}**. Het zegt niets dat wordt geteld.`,
    nobody: () => 'Niemand leest het: geen bekend soort apparaat heeft zo’n topic met zo’n bericht.',
  },
  device: 'Apparaat',
  quantity: 'Grootheid',
  value: 'Waarde',
  time: 'Tijd',
  atReceipt: 'bij ontvangst',
  isAsked: 'onbekend',
  leftOut: (count) =>
    plural(count, {
      one: '# meting wordt weggelaten: de broker had het bericht bewaard, en het zegt niet hoe oud het is.',
      other: '# metingen worden weggelaten: de broker had het bericht bewaard, en het zegt niet hoe oud het is.',
    }),
  would: (family) =>
    `Met deze instelling leest **${family}** er meer van. Zones, eenheden en getallen erin zijn voorbeelden. Ze hoort in de \`decoder_config\` van de gateway.`,
  setting: 'Instelling',
  use: 'Deze instelling gebruiken',
  useHint:
    'Pas vóór het opslaan tijdzones, eenheden en getallen aan die bij u anders zijn. Ze vervangt wat de gateway onder deze naam heeft.',
  noSetting: 'Dat is geen JSON-object tussen accolades.',
  members: 'Wat erin staat',
  membersAbout: 'Kies een getal en zeg wat het is: vanaf dan wordt het gelezen.',
  noMembers: 'Er staat geen getal in waarvan u kunt zeggen wat het is: het moet JSON zijn, of een los getal.',
  place: 'Plek',
  whole: 'het hele bericht',
  choose: 'Zeg wat het is',
  form: {
    title: (place) => `Wat is ${place}?`,
    meaning: 'Het is',
    unit: 'Eenheid',
    scale: 'Vermenigvuldigen met',
    scaleHint: '0,01 als het honderdsten van die eenheid zijn. Anders leeg.',
    topic: 'Op topics',
    topicHint: 'Een + op de plek van een niveau staat voor elk, en noemt het apparaat.',
    device: 'Naam van het apparaat',
    deviceHint: 'Leeg: waar de + voor staat, of het topic.',
    circuit: 'Welke van meer',
    circuitHint:
      'Een woord voor de tweede van zijn soort in één apparaat, zoals pump. Het telt naast de eerste en mag er dus geen deel van zijn. Anders leeg.',
    time: 'De tijd ervan',
    noTime: 'bij ontvangst',
    total: 'Energie en volumes moeten zijn wat het apparaat sinds altijd heeft geteld, niet van één dag.',
    takesOver: (family) =>
      `Nu leest **${family}** dit bericht. Zodra u opslaat, telt ervan alleen nog wat u zelf aangeeft, en het apparaat van **${family}** krijgt niets meer uit zulke berichten.`,
    try: 'Proberen',
    tried: 'Hiermee:',
    save: 'In de gateway opslaan',
    saved: 'Opgeslagen. Het apparaat verschijnt bij zijn volgende bericht onder de ontdekte; koppel het daar.',
  },
  meanings: {
    power: 'Vermogen (onder 0: teruglevering)',
    production: 'Opwekking van een apparaat dat alleen opwekt',
  },
  mappings: {
    title: 'Wat je van de berichten van deze gateway hebt gezegd',
    remove: 'Terugnemen',
  },
};
