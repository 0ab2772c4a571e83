import { alert_id, created_at, type Examples, user_id } from '../example-ids.ts';

const alert = {
  alert_id,
  user_id,
  type: 'daily_usage',
  threshold_kwh: 15,
  delivery: 'email',
  status: 'active',
  created_at,
};

const budget = {
  alert_id: 'alr_01k8xq9v3m5n7p1r2s4t6v8wza',
  user_id,
  type: 'monthly_cost',
  threshold: '80.00',
  delivery: 'email',
  status: 'active',
  created_at,
};

export const ALERT_EXAMPLES = {
  createAlert: {
    body: { type: 'daily_usage', threshold_kwh: 15, delivery: 'email' },
    answer: { alert_id, status: 'active' },
  },
  listAlerts: { answer: [alert, budget] },
  getAlert: { answer: alert },
  updateAlert: { body: { threshold_kwh: 18 }, answer: { ...alert, threshold_kwh: 18 } },
  deleteAlert: { answer: { message: `Alert ${alert_id} was deleted` } },
  previewAlert: {
    body: { type: 'daily_usage', threshold_kwh: 15 },
    answer: {
      user_id,
      data: [{ period_start: '2026-06-12T22:00:00.000Z', period_end: '2026-06-13T22:00:00.000Z', kwh_used: 16.031 }],
    },
  },
} satisfies Examples;
