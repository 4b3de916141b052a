/** The second contract: four more operations, parameters, fields, a header and a status, and a smaller maximum limit. */
import type { Schema } from '../../../fixtures/contract/contract.ts';

export interface OpenApi {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}
interface Operation {
  summary?: string;
  operationId: string;
  parameters?: { name: string; in: string; required?: boolean; schema: Schema }[];
  requestBody?: object;
  responses: Record<string, object>;
}

export const STATUS = 'reserved';
export const MAXIMUM = 50;

const json = (schema: string): object => ({
  content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } },
});

export function extend({ paths, components: { schemas } }: OpenApi): void {
  const [list, add, get] = [paths['/pets']?.get, paths['/pets']?.post, paths['/pets/{petId}']?.get];
  const { PetStatus, NewPet } = schemas;
  if (!list?.parameters || !add || !get || !PetStatus?.enum || !NewPet?.required || !NewPet.properties)
    throw new Error('spec/openapi.yaml has no longer what the second contract adds to');
  const limit = list.parameters.find(({ name }) => name === 'limit');
  if (limit) limit.schema.maximum = MAXIMUM;
  list.parameters.push(
    { name: 'name', in: 'query', schema: { type: 'string' } },
    { name: 'categoryId', in: 'query', schema: { type: 'integer', format: 'int64' } },
    { name: 'size', in: 'query', schema: { type: 'string', enum: ['small', 'large'] } },
    { name: 'sort', in: 'query', schema: { type: 'string', enum: ['oldest', 'newest'] } },
  );
  PetStatus.enum.push(STATUS);
  NewPet.required.push('weight');
  Object.assign(NewPet.properties, {
    weight: { type: 'integer', minimum: 1, maximum: 9000 },
    born: { type: 'string', format: 'date' },
    size: { type: 'string', enum: ['small', 'large'] },
  });
  schemas.Changes = {
    type: 'object',
    properties: { name: { type: 'string' }, weight: { type: 'integer', minimum: 1, maximum: 9000 } },
  };
  const { status = {} } = NewPet.properties;
  Object.assign(schemas.Changes.properties as object, { status });
  schemas.Replaced = {
    allOf: [
      { $ref: '#/components/schemas/Pet' },
      { type: 'object', required: ['version'], properties: { version: { type: 'integer', minimum: 2 } } },
    ],
  };
  schemas.Price = {
    type: 'object',
    required: ['amount', 'currency'],
    properties: { amount: { type: 'integer', minimum: 0 }, currency: { type: 'string' } },
  };
  const { 401: unauthorized = {}, 429: tooMany = {}, 400: invalid = {} } = add.responses;
  const { 404: unknown = {} } = get.responses;
  const { headers } = unknown as { headers: object };
  const refusals = { 401: unauthorized, 404: unknown, 429: tooMany };
  const parameters = get.parameters ?? [];
  Object.assign(paths['/pets/{petId}'] as object, {
    put: {
      operationId: 'replacePet',
      summary: 'Replace an animal',
      parameters,
      requestBody: { required: true, ...json('NewPet') },
      responses: { 200: { description: 'Animal replaced.', headers, ...json('Replaced') }, 400: invalid, ...refusals },
    },
    patch: {
      operationId: 'changePet',
      summary: 'Change some fields of an animal',
      parameters,
      requestBody: { required: true, ...json('Changes') },
      responses: { 200: { description: 'Animal changed.', headers, ...json('Pet') }, 400: invalid, ...refusals },
    },
    delete: {
      operationId: 'deletePet',
      summary: 'Remove an animal',
      parameters,
      responses: { 204: { description: 'Animal removed.', headers }, ...refusals },
    },
  } satisfies Record<string, Operation>);
  paths['/pets/{petId}/price'] = {
    get: {
      operationId: 'getPrice',
      summary: 'What an animal costs',
      parameters,
      responses: {
        200: {
          description: 'The price.',
          headers: {
            ...headers,
            'X-Valid-Until': { required: true, schema: { type: 'integer', minimum: 1 } },
            'X-Discount': { schema: { type: 'integer', minimum: 1, maximum: 99 } },
          },
          ...json('Price'),
        },
        ...refusals,
      },
    },
  };
}

/** Adds operations on resources that no operation adds. */
export function extendByOthers({ paths }: OpenApi): void {
  const { parameters = [], responses = {} } = paths['/pets/{petId}']?.delete ?? {};
  const ofOrder = parameters.map((parameter) => ({ ...parameter, name: 'orderId' }));
  paths['/store/orders/{orderId}'] = {
    delete: { operationId: 'cancelOrder', summary: 'Cancel an order', parameters: ofOrder, responses },
  };
}
