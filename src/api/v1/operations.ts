import type { AnyOperation } from '../operation.ts';
import { createDevice } from './devices/create.ts';
import { listDevices } from './devices/list.ts';
import { getEnergyInsights } from './energy-insights/get.ts';
import { postEnergyInsights } from './energy-insights/post.ts';
import { createUser } from './users/create.ts';
import { deleteUser } from './users/delete.ts';
import { getUser } from './users/get.ts';

/** Every operation of the interface. */
export const OPERATIONS: readonly AnyOperation[] = [
  getEnergyInsights,
  postEnergyInsights,
  createUser,
  getUser,
  deleteUser,
  createDevice,
  listDevices,
];
