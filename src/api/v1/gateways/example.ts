import { gatewayPrefix } from '#src/devices/topics.ts';
import { created_at, type Examples, gateway_id, user_id } from '../example-ids.ts';

const gateway = { gateway_id, user_id, name: 'home', decoder_config: {}, managed_by: 'owner' as const, created_at };

export const GATEWAY_EXAMPLES = {
  createGateway: {
    body: { name: 'home' },
    answer: {
      ...gateway,
      mqtt: { username: gateway_id, password: '(shown once)', topic_prefix: gatewayPrefix(gateway_id) },
    },
  },
  listGateways: { answer: [gateway] },
  updateGateway: { body: { name: 'holiday home' }, answer: { ...gateway, name: 'holiday home' } },
  unreadMessages: {
    answer: [
      {
        shape: 'solar/+/live',
        count: 4711,
        first_seen_at: created_at,
        last_seen_at: created_at,
        example: {
          topic: 'solar/1234567890/live',
          payload: '{"pac":1520,"etotal":8341.2}',
          encoding: 'utf-8',
          payload_bytes: 28,
          received_at: created_at,
        },
      },
    ],
  },
  decodeMessage: {
    body: { topic: 'tele/plug/SENSOR', payload: '{"ENERGY": {"Total": 301.004}}' },
    answer: {
      outcome: 'read',
      topic: 'tele/plug/SENSOR',
      family: 'tasmota',
      readings: [{ device: 'plug', channel: 'import', kind: 'energy_total_kwh', value: 301.004, ts: null }],
      asks: [],
      refused: [],
      left_out: 0,
      would: [],
      members: [{ path: '$.ENERGY.Total', value: 301.004, may_be_time: false, proposed: null }],
    },
  },
  deleteGateway: { answer: { message: `Gateway ${gateway_id} was deleted` } },
} satisfies Examples;
