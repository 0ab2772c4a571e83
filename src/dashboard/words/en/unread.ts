import { plural } from '../locale.ts';

/** What speaks through a gateway and is not understood. */
export const unread = {
  title: (gateway: string, topics: number) =>
    plural(topics, {
      one: `Speaks through ${gateway} and is not heard: # kind of message`,
      other: `Speaks through ${gateway} and is not heard: # kinds of messages`,
    }),
  about:
    'Messages that this service does not understand, by their topic; `+` stands for what differs from device to device. If one of your meters or plugs is among them, a setting of its gateway may be missing, or its language is not known here yet: open the example, and say what its numbers are.',
  messages: 'Messages',
  example: 'An example',
  exampleOf: (topic: string) => `An example of ${topic}`,
  show: 'Show',
  none: 'none is kept',
  others: 'all further topics',
  cut: (bytes: number) => plural(bytes, { one: 'The beginning of # byte.', other: 'The beginning of # bytes.' }),
  base64: 'In base64, as it is no text.',
};
