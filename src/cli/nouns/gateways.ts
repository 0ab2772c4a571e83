import type { Command } from 'commander';
import { updateGateway } from '#src/api/v1/gateways/operations.ts';
import { addUpdate, type Noun } from './verbs.ts';

const GATEWAY: Noun = { name: 'gateway', id: 'gateway_id', columns: [] };

/** `energy gateways update`, beside making and listing them. */
export function addGatewayVerbs(gateways: Command): void {
  addUpdate(gateways, GATEWAY, updateGateway);
}
