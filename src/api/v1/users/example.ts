import { created_at, type Examples, user_id } from '../example-ids.ts';

const user = {
  user_id,
  email: 'anna@example.com',
  role: 'homeowner',
  created_at,
  phone: '+4915112345678',
  timezone: 'Europe/Berlin',
  plan: 'free',
};

export const USER_EXAMPLES = {
  createUser: {
    body: { email: 'anna@example.com', role: 'homeowner', timezone: 'Europe/Berlin' },
    answer: { user_id, status: 'created' },
  },
  listUsers: { answer: [user] },
  getUser: { answer: user },
  updateUser: {
    body: { email: 'anna@example.org' },
    answer: { ...user, pending_email: 'anna@example.org' },
  },
  exportUser: { answer: 'PK…' },
  deleteUser: { answer: { message: `User ${user_id} and all associated data were deleted` } },
} satisfies Examples;
