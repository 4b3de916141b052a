/** Every property, by the id of its requirement. */
import type { Properties } from '../../fixtures/trace/property.ts';
import { add } from './add.ts';
import { auth } from './auth.ts';
import { get } from './get.ts';
import { list } from './list.ts';
import { open } from './open.ts';
import { responses } from './responses.ts';
import { service } from './service.ts';

export const properties: Properties = {
  ...service,
  ...responses,
  ...list,
  ...add,
  ...get,
  ...auth,
  ...open,
};
