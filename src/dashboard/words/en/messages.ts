import { plural } from '../locale.ts';

/** What a message of a device says, and what its owner says of it. */
export const messages = {
  open: 'Read a message',
  title: (gateway: string) => `What does a message say? ${gateway}`,
  about: 'Paste a message of a device: you see what is read out of it, and why not. Nothing of it is stored.',
  topic: 'Topic',
  topicHint: 'As the device’s own broker has it, such as tele/plug/SENSOR.',
  payload: 'Message',
  retained: 'The broker had kept it (retain)',
  look: 'Look',
  outcomes: {
    read: (family: string) => `It is read, as **${family}**.`,
    asked: (family: string) =>
      `It is of **${family}**. Nothing of it counts until you say what it is, on the page of the paired device.`,
    refused: (family: string) => `It is of **${family}**, and cannot be used.`,
    nothing: (family: string) => `It is of **${family}**. It says nothing that is counted.`,
    nobody: () => 'Nobody reads it: no known kind of device has such a topic with such a message.',
  },
  device: 'Device',
  quantity: 'Quantity',
  value: 'Value',
  time: 'Time',
  atReceipt: 'as it arrives',
  isAsked: 'unknown',
  leftOut: (count: number) =>
    plural(count, {
      one: '# reading is left out: the broker had kept the message, and it does not say how old it is.',
      other: '# readings are left out: the broker had kept the message, and it does not say how old it is.',
    }),
  would: (family: string) =>
    `With this setting **${family}** reads more of it. Zones, units and numbers in it are examples. It belongs in the gateway’s \`decoder_config\`.`,
  setting: 'Setting',
  use: 'Use this setting',
  useHint:
    'Change zones, units and numbers that are not yours before you save. It takes the place of what the gateway has under this name.',
  noSetting: 'That is not a JSON object in braces.',
  members: 'What is in it',
  membersAbout: 'Choose a number to say what it is: from then on it is read.',
  noMembers: 'There is no number in it that you could say something of: it must be JSON, or a plain number.',
  place: 'Place',
  whole: 'the whole message',
  choose: 'Say what it is',
  form: {
    title: (place: string) => `What is ${place}?`,
    meaning: 'It is',
    unit: 'Unit',
    scale: 'Multiply by',
    scaleHint: '0.01 where it counts hundredths of that unit. Empty otherwise.',
    topic: 'On topics',
    topicHint: 'A + in the place of one level stands for any, and names the device.',
    device: 'Name of the device',
    deviceHint: 'Empty: what the + stands for, or the topic.',
    circuit: 'Which of several',
    circuitHint:
      'A word for the second of a kind in one device, such as pump. It counts beside the first: it must not be a part of it. Empty otherwise.',
    time: 'Its time',
    noTime: 'as it arrives',
    total: 'Energy and volumes must be lifetime totals, not those of a day.',
    takesOver: (family: string) =>
      `**${family}** reads this message now. Once you save, only what you say yourself counts of it, and the device of **${family}** hears nothing of such messages any more.`,
    try: 'Try it',
    tried: 'With this:',
    save: 'Save to the gateway',
    saved: 'Saved. The device appears among the discovered ones with its next message; pair it there.',
  },
  meanings: {
    power: 'Power (below 0: export)',
    production: 'Production of a device that only produces',
  },
  mappings: {
    title: 'What you said of this gateway’s messages',
    remove: 'Take back',
  },
};
