/** Readings that people edited: which do not count, and what was read off a register. */
export const edits = {
  title: 'Readings edited by hand',
  about:
    'What somebody knows of readings that no rule can tell. Edits stay to be seen; nothing that the device sent is removed.',
  list: 'List of edits',
  none: 'Nothing was edited.',
  new: 'New edit',
  what: 'What',
  actions: { exclude: 'Readings do not count', add: 'I read the register' },
  actionHints: {
    exclude:
      'Readings of this time are passed over, those that come later, too. Over the gap of a register its energy lies evenly.',
    add: 'It counts as a reading that comes late. Where it does not fit the others it does not count, as any other.',
  },
  quantity: 'Quantity',
  every: 'every quantity',
  at: 'Read at',
  value: (units: string) => `It showed (${units})`,
  from: 'From',
  to: 'To (not included)',
  zone: (zone: string) => `Times in ${zone}.`,
  reason: 'Reason',
  reasonHint: 'Whoever looks at it later reads it.',
  when: 'When',
  made: 'Made',
  fromTo: (from: string, to: string) => `${from} to ${to}`,
  excludedOf: (quantity: string) => `Does not count: ${quantity}`,
  readOf: (value: string, quantity: string) => `Read by hand: ${value} (${quantity})`,
  statuses: { in_force: 'in force', revoked: 'revoked' },
  waits: 'being computed',
  you: 'you',
  erased: 'erased account',
  revoke: 'Revoke',
  revokeQuestion:
    'What this device used is then computed as if the edit had never been made. It stays in this list. It cannot be made in force again, but made anew.',
  wrong: (message: string) => `The service says: ${message}`,
};
