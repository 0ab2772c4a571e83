import type { Command } from 'commander';
import { createAlert, deleteAlert, getAlert, listAlerts, updateAlert } from '#src/api/v1/alerts/operations.ts';
import {
  type ApiNoun,
  addCreateCommand,
  addDeleteCommand,
  addGetCommand,
  addListCommand,
  addUpdateCommand,
} from './nouns/verbs.ts';

const ALERT: ApiNoun = {
  name: 'alert',
  id: 'alert_id',
  columns: ['alert_id', 'type', 'threshold_kwh', 'threshold', 'threshold_hours', 'delivery', 'status'],
};

/** Registers `energy alerts …`, which calls the operations of the HTTP API. */
export function registerCommands(program: Command): void {
  const alerts = program.command('alerts');
  addListCommand(alerts, ALERT, listAlerts, { ofUser: true });
  addGetCommand(alerts, ALERT, getAlert);
  addCreateCommand(alerts, ALERT, createAlert);
  addUpdateCommand(alerts, ALERT, updateAlert);
  addDeleteCommand(alerts, ALERT, deleteAlert, 'its history is deleted, too');
}
