import type { Command } from 'commander';
import { createAlert, deleteAlert, getAlert, listAlerts, updateAlert } from '#src/api/v1/alerts/operations.ts';
import { addCreate, addDelete, addGet, addList, addUpdate, type Noun } from './nouns/verbs.ts';

const ALERT: Noun = {
  name: 'alert',
  id: 'alert_id',
  columns: ['alert_id', 'type', 'threshold_kwh', 'threshold', 'threshold_hours', 'delivery', 'status'],
};

/** Registers `energy alerts …`, which calls the operations of the HTTP API. */
export function register(program: Command): void {
  const alerts = program.command('alerts').description('thresholds on usage, costs and silence');
  addList(alerts, ALERT, listAlerts, { ofUser: true });
  addGet(alerts, ALERT, getAlert);
  addCreate(alerts, ALERT, createAlert);
  addUpdate(alerts, ALERT, updateAlert);
  addDelete(alerts, ALERT, deleteAlert, 'its history stays');
}
