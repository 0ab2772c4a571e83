import type { AnyOperation } from '../operation.ts';
import * as alerts from './alerts/operations.ts';
import * as analytics from './analytics/operations.ts';
import * as apps from './apps/operations.ts';
import * as audit from './audit/operations.ts';
import * as authorizations from './authorizations/operations.ts';
import * as billPeriods from './bill-periods/operations.ts';
import * as deviceEdits from './devices/edits.ts';
import * as deviceReadings from './devices/list-readings.ts';
import * as devices from './devices/operations.ts';
import * as deviceQuality from './devices/quality.ts';
import * as sentReadings from './devices/send-readings.ts';
import * as deviceUsage from './devices/usage.ts';
import * as insights from './energy-insights/get.ts';
import * as insightSummary from './energy-insights/post.ts';
import * as fleet from './fleet/operations.ts';
import * as gateways from './gateways/operations.ts';
import * as groupInsights from './groups/energy-insights.ts';
import * as groups from './groups/operations.ts';
import * as imports from './imports/operations.ts';
import * as keys from './keys/operations.ts';
import * as members from './members/operations.ts';
import * as provisioningBatches from './provisioning-batches/operations.ts';
import * as remarks from './remarks/operations.ts';
import * as series from './series/operations.ts';
import * as seriesSources from './series/sources.ts';
import * as tariffs from './tariffs/operations.ts';
import * as usage from './usage/operations.ts';
import * as users from './users/operations.ts';
import * as webhooks from './webhooks/operations.ts';
import * as whatIf from './what-if/operations.ts';

/** Modules that export operations, in the order of the API reference. */
const MODULES = [
  ...[insights, insightSummary, analytics, usage, remarks, alerts, users, webhooks],
  ...[devices, deviceUsage, deviceQuality, deviceReadings, sentReadings, deviceEdits, fleet, gateways],
  ...[groups, groupInsights, imports, provisioningBatches, billPeriods],
  ...[tariffs, whatIf, series, seriesSources, keys, members, apps, authorizations, audit],
];

/** Order in which the API reference lists the operations of a path. */
const METHODS = ['POST', 'GET', 'PUT', 'PATCH', 'DELETE'];

type NamesIn<Module> = Module extends object
  ? { [Name in keyof Module]: Module[Name] extends { method: string; path: string } ? Name : never }[keyof Module]
  : never;

/** Name of an operation: the name of its export, which is also the operationId in the OpenAPI document. */
export type OperationName = NamesIn<(typeof MODULES)[number]> & string;

/** Returns all operations that the modules export, in the order of the API reference. */
export const listOperations = (modules: readonly object[]): (AnyOperation & { name: string })[] =>
  modules.flatMap((module) =>
    Object.entries(module as Record<string, unknown>)
      .flatMap(([name, one]) => (isOperation(one) ? [{ ...one, name }] : []))
      .sort((a, b) =>
        a.path < b.path ? -1 : a.path > b.path ? 1 : METHODS.indexOf(a.method) - METHODS.indexOf(b.method),
      ),
  );

const isOperation = (value: unknown): value is AnyOperation =>
  typeof value === 'object' && value !== null && 'method' in value && 'path' in value;

/** All operations of the public API. */
export const OPERATIONS = listOperations(MODULES) as readonly (AnyOperation & { name: OperationName })[];
