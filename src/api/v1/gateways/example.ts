import { gatewayPrefix } from '#src/devices/topics.ts';
import { created_at, type Examples, gateway_id, user_id } from '../example-ids.ts';

const gateway = { gateway_id, user_id, name: 'home', decoder_config: {}, created_at };

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
      members: [{ path: '$.ENERGY.Total', value: 301.004, may_be_time: false }],
    },
  },
  deleteGateway: { answer: { message: `Gateway ${gateway_id} was deleted` } },
} satisfies Examples;
