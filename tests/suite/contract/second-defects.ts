/** Defects in the additions of the second contract, found by derived cases only. */
import type { RequirementId } from '../../../fixtures/contract/requirements.ts';
import { makeError, onReply, presenting, type Which, without } from '../../../fixtures/reference/defects/defect.ts';
import { type Incoming, type Pet, Problem, type Reply, type Status } from '../../../fixtures/reference/service.ts';
import { STATUS } from './second-contract.ts';
import type { SecondPet, SecondService } from './second-service.ts';

export interface SecondDefect {
  title: string;
  breaks: RequirementId;
  apply: (service: SecondService) => void;
  /** Matches the reasons: sent, expected and received. */
  pattern: RegExp;
  /** It would hide another defect of the requirement, so it gets its own service. */
  alone?: true;
  stock?: number;
}

const isPut: Which = ({ method }) => method === 'PUT';
const isDelete: Which = ({ method }) => method === 'DELETE';
const isPrice: Which = ({ path }) => path.endsWith('/price');

const answering = (status: number, which: Which, change: (reply: Reply) => Reply) => (service: SecondService) =>
  onReply(service, (reply, request) => (reply.status === status && which(request) ? change(reply) : undefined));

const as =
  (status: number) =>
  (reply: Reply): Reply => ({ ...reply, status });

const asError =
  (status: number) =>
  ({ headers }: Reply): Reply => ({ ...makeError(status), headers });

const first =
  (answer: (service: SecondService, request: Incoming) => unknown, which: Which) => (service: SecondService) => {
    const refuse = service.unauthorized.bind(service);
    service.unauthorized = (request) => {
      if (which(request)) answer(service, request);
      return refuse(request);
    };
  };

const admitting = (which: Which) => (service: SecondService) => {
  const keyOf = service.keyOf.bind(service);
  service.keyOf = (request) => keyOf(request) ?? (which(request) ? Object.keys(service.options.keys)[0] : undefined);
};

const replacing = (change: (pet: SecondPet, before: SecondPet) => SecondPet) => (service: SecondService) => {
  const replace = service.replacePet.bind(service);
  service.replacePet = (request) => {
    const before = { ...service.petOf(request) };
    const reply = replace(request);
    service.pets.set(before.id, change(service.petOf(request), before));
    return reply;
  };
};

const showing = (change: (shown: Record<string, unknown>) => unknown) => (service: SecondService) => {
  const present = service.presentReplaced.bind(service);
  service.presentReplaced = (pet) => change(present(pet) as Record<string, unknown>);
};

const bySize = (pet: Pet): string | undefined => (pet as SecondPet).size;

const secondDefects = [
  {
    breaks: 'service.valid-request',
    title: 'DELETE answers 200 with the animal',
    apply: answering(204, isDelete, (reply) => ({ ...reply, status: 200, body: {} })),
    pattern: /DELETE \/pets\/\d+ .*expected status 204; received status 200/,
  },
  {
    breaks: 'service.valid-request',
    title: 'PUT is not routed',
    apply: answering(200, isPut, asError(405)),
    pattern: /PUT \/pets\/\d+ .*expected status 200; received status 405/,
  },
  {
    breaks: 'service.valid-request',
    title: 'one value of a parameter is refused',
    apply: (service) => {
      const read = service.sortOfQuery.bind(service);
      service.sortOfQuery = (text) => {
        if (text === 'newest') throw new Problem(400, 'invalid_sort', 'sort is oldest');
        return read(text);
      };
    },
    pattern: /GET \/pets\?sort=newest .*expected status 200; received status 400/,
  },
  {
    breaks: 'service.valid-request',
    title: 'a resource below an unknown animal is found',
    apply: answering(200, isPrice, asError(404)),
    pattern: /GET \/pets\/\d+\/price .*expected status 200; received status 404/,
  },
  {
    breaks: 'service.unknown-id',
    title: 'DELETE answers 204 for an unknown animal',
    apply: answering(404, isDelete, ({ headers }) => ({ status: 204, headers })),
    pattern: /DELETE \/pets\/\d+ .*expected status 404; received status 204/,
  },
  {
    breaks: 'service.unknown-id',
    title: 'PUT adds an unknown animal',
    alone: true,
    apply: (service) => {
      const find = service.petOf.bind(service);
      service.petOf = (request) => {
        const id = BigInt(request.path.split('/')[2] ?? '');
        if (isPut(request) && !service.pets.has(id))
          service.pets.set(id, { id, ...service.newPet(service.readBody(request)) });
        return find(request);
      };
    },
    pattern: /PUT \/pets\/\d+ .*expected status 404; received status 200/,
  },
  {
    breaks: 'service.unknown-id',
    title: 'an unknown animal has a price',
    apply: answering(404, isPrice, ({ headers }) => ({ status: 200, headers, body: { amount: 0, currency: 'EUR' } })),
    pattern: /GET \/pets\/\d+\/price .*expected status 404; received status 200/,
  },
  {
    breaks: 'service.filter',
    title: 'a text filter is ignored',
    apply: (service) => {
      service.isNamed = () => true;
    },
    pattern:
      /GET \/pets\?name=conformance-\S+ .*only items whose name is conformance-.*received \d+ of \d+ items with name/,
  },
  {
    breaks: 'service.filter',
    title: 'a text filter finds nothing',
    alone: true,
    apply: (service) => {
      service.isNamed = (pet, name) => name === undefined || pet.name === name.toUpperCase();
    },
    pattern: /GET \/pets\?name=.*expected a list with an animal.*received a list without an animal/,
  },
  {
    breaks: 'service.filter',
    title: 'a number filter is ignored',
    apply: (service) => {
      service.isOf = () => true;
    },
    pattern:
      /GET \/pets\?categoryId=1 .*only items whose categoryId is 1; received 1 of \d+ items with categoryId 9007199254740993/,
  },
  {
    breaks: 'service.filter',
    title: 'an enumeration filter returns items without a value',
    apply: (service) => {
      service.hasSize = (pet, size) => size === undefined || [size, undefined].includes(bySize(pet));
    },
    pattern: /GET \/pets\?size=small .*only items whose size is small; received \d+ of \d+ items with size .*absent/,
  },
  {
    breaks: 'service.filter',
    title: 'an enumeration filter finds nothing',
    alone: true,
    apply: (service) => {
      service.hasSize = (pet, size) => size === undefined || bySize(pet) === size.toUpperCase();
    },
    pattern: /GET \/pets\?size=small .*expected a list with an animal.*received a list without an animal/,
  },
  {
    breaks: 'service.filter',
    title: 'an enumeration filter ignores an unknown value',
    apply: (service) => {
      const read = service.sizeOf.bind(service);
      service.sizeOf = (values) =>
        values.size === 'conformance-unknown' && !('name' in values) ? undefined : read(values);
    },
    pattern:
      /GET \/pets\?size=conformance-unknown .*only items whose size is conformance-unknown; received \d+ of \d+ items with size/,
  },
  {
    breaks: 'service.echo',
    title: 'PUT answers with the previous animal',
    apply: (service) => {
      const replace = service.replacePet.bind(service);
      service.replacePet = (request) => {
        const before = service.petOf(request);
        const { body, ...reply } = replace(request);
        return { ...reply, body: { ...(body as object), ...before } };
      };
    },
    pattern:
      /PUT \/pets\/\d+ .*expected name is "conformance-\S+-put", as it was sent.*received name is "conformance-\S+-for-put"/,
  },
  {
    breaks: 'service.echo',
    title: 'PUT answers with another value of a new field',
    alone: true,
    apply: showing((shown) => ({ ...shown, born: '1970-01-01' })),
    pattern: /PUT \/pets\/\d+ .*expected born is "2026-01-30", as it was sent; received born is "1970-01-01"/,
  },
  {
    breaks: 'service.echo',
    title: 'PUT answers without a new field',
    apply: showing((shown) => without(shown, 'born')),
    pattern: /PUT \/pets\/\d+ .*.*born is (missing|"2026-01-30".*received)/,
  },
  {
    breaks: 'service.changes',
    title: 'PUT changes nothing',
    alone: true,
    apply: replacing((_pet, before) => before),
    pattern:
      /GET \/pets\/\d+ .*expected name is "conformance-\S+-put", as it was sent.*received name is "conformance-\S+-for-put"/,
  },
  {
    breaks: 'service.changes',
    title: 'PUT does not change the status',
    apply: replacing((pet, { status }) => ({ ...pet, ...(status && { status }) })),
    pattern: /GET \/pets\/\d+ .*expected status is "reserved", as it was sent.*received status is "available"/,
  },
  {
    breaks: 'service.changes',
    title: 'PUT does not change a new required field',
    apply: replacing((pet, { weight }) => ({ ...pet, weight })),
    pattern: /GET \/pets\/\d+ .*weight is 2, as it was sent.*received .*weight is 1/,
  },
  {
    breaks: 'service.changes',
    title: 'PUT does not store a new optional field',
    apply: replacing(({ born: _, ...pet }) => pet),
    pattern: /GET \/pets\/\d+ .*.*born is (missing|"2026-01-30".*received)/,
  },
  {
    breaks: 'service.changes',
    title: 'PATCH answers, and stores nothing',
    apply: (service) => {
      service.changed = (before) => before;
    },
    pattern:
      /GET \/pets\/\d+ .*expected name is "conformance-\S+-patch-rest", as it was sent.*received name is "conformance-\S+-for-patch"/,
  },
  {
    breaks: 'service.changes',
    title: 'PATCH removes fields that are not sent',
    alone: true,
    apply: (service) => {
      service.changed = ({ id, categoryId, weight, name }, sent) => ({ id, categoryId, weight, name, ...sent });
    },
    pattern: /GET \/pets\/\d+ .*status is missing/,
  },
  {
    breaks: 'service.headers',
    title: 'a required header is missing',
    apply: (service) => {
      service.priceHeaders = () => ({});
    },
    pattern: /GET \/pets\/\d+\/price .*X-Valid-Until/,
  },
  {
    breaks: 'service.headers',
    title: 'a header is not of its type',
    alone: true,
    apply: (service) => {
      service.priceHeaders = () => ({ 'X-Valid-Until': 'tomorrow' });
    },
    pattern: /GET \/pets\/\d+\/price .*X-Valid-Until: tomorrow/,
  },
  {
    breaks: 'service.headers',
    title: 'an optional header is out of its bounds',
    alone: true,
    apply: (service) => {
      service.priceHeaders = () => ({ 'X-Valid-Until': '1800000000', 'X-Discount': '100' });
    },
    pattern: /GET \/pets\/\d+\/price .*X-Discount: 100/,
  },
  {
    breaks: 'service.changes',
    title: 'DELETE removes nothing',
    apply: (service) => {
      service.deletePet = (request) => {
        service.petOf(request);
        return { status: 204, headers: {} };
      };
    },
    pattern: /GET \/pets\/\d+ .*expected status 404 or 410; received status 200/,
  },
  {
    breaks: 'service.schema',
    title: 'PUT answers without the field that its schema adds',
    apply: showing((shown) => without(shown, 'version')),
    pattern: /PUT \/pets\/\d+ .*required field version; received version is missing/,
  },
  {
    breaks: 'service.schema',
    title: 'a number below an animal is a string',
    apply: (service) => {
      service.price = () => ({ amount: '25', currency: 'EUR' });
    },
    pattern: /GET \/pets\/\d+\/price .*amount of type integer; received amount is "25"/,
  },
  {
    breaks: 'service.invalid-body',
    title: 'POST accepts a body without the new required field',
    apply: (service) => {
      const read = service.readWeight.bind(service);
      service.readWeight = (body) => (body.weight === undefined ? 1n : read(body));
    },
    pattern: /POST \/pets .*expected status 400; received status 201/,
  },
  {
    breaks: 'service.invalid-body',
    title: 'POST accepts a value below the bound of a new field',
    apply: (service) => {
      const read = service.readWeight.bind(service);
      service.readWeight = (body) => (String(body.weight) === '0' ? 0n : read(body));
    },
    pattern: /POST \/pets .*"weight":0,.*expected status 400; received status 201/,
  },
  {
    breaks: 'service.invalid-body',
    title: 'POST accepts any text as date',
    apply: (service) => {
      const read = service.readBorn.bind(service);
      service.readBorn = (body) => (typeof body.born === 'string' ? body.born : read(body));
    },
    pattern: /POST \/pets .*"born":"conformance unknown!".*expected status 400; received status 201/,
  },
  {
    breaks: 'service.invalid-body',
    title: 'PUT answers 422 if a required field is missing',
    apply: answering(400, isPut, as(422)),
    pattern: /PUT \/pets\/\d+ .*body \{"categoryId".*expected status 400; received status 422/,
  },
  {
    breaks: 'auth.missing',
    title: 'DELETE requires no key',
    apply: admitting((request) => isDelete(request) && request.headers.authorization === undefined),
    pattern: /DELETE \/pets\/\d+ .*expected status 401; received status (204|404)/,
  },
  {
    breaks: 'auth.missing',
    title: 'PUT answers 403 without a key',
    apply: answering(401, isPut, asError(403)),
    pattern: /PUT \/pets\/\d+ .*expected status 401; received status 403/,
  },
  {
    breaks: 'auth.invalid',
    title: 'PUT accepts a key in any case',
    apply: admitting(
      (request) => isPut(request) && /^Bearer second-business-key$/i.test(request.headers.authorization ?? ''),
    ),
    pattern: /PUT \/pets\/\d+ .*expected status 401; received status 200/,
  },
  {
    breaks: 'auth.invalid',
    title: 'DELETE accepts an empty key',
    apply: admitting((request) => isDelete(request) && /^Bearer *$/.test(request.headers.authorization ?? '')),
    pattern: /DELETE \/pets\/\d+ .*expected status 401; received status (204|404)/,
  },
  {
    breaks: 'auth.first',
    title: 'PUT checks the body before the key',
    apply: first((service, request) => service.newPet(service.readBody(request)), isPut),
    pattern: /PUT \/pets\/\d+ .*expected status 401; received status 400/,
  },
  {
    breaks: 'auth.first',
    title: 'GET of a price looks up the animal before it checks the key',
    apply: first((service, request) => service.petOf(request), isPrice),
    pattern: /GET \/pets\/\d+\/price.* .*expected status 401; received status 404/,
  },
  {
    breaks: 'service.no-server-error',
    title: 'PUT fails if the body is malformed',
    apply: (service) => {
      const read = service.readBody.bind(service);
      service.readBody = (request) => {
        if (isPut(request)) JSON.parse(request.body);
        return read(request);
      };
    },
    pattern: /PUT \/pets\/\d+ .*expected any status but 5xx; received status 500/,
  },
  {
    breaks: 'service.no-server-error',
    title: 'an unknown value of a new parameter raises an exception',
    apply: (service) => {
      const read = service.sortOfQuery.bind(service);
      service.sortOfQuery = (text) => {
        if (text === 'conformance-unknown') throw new Error('not handled');
        return read(text);
      };
    },
    pattern: /GET \/pets\?sort=conformance-unknown .*received status 500/,
  },
  {
    breaks: 'pet.schema',
    title: 'an addition is answered without the new required field',
    apply: (service) => presenting(service, 'presentAdded', (pet) => without(pet, 'weight')),
    pattern: /POST \/pets .*required field weight; received weight is missing/,
  },
  {
    breaks: 'add.echo',
    title: 'an addition is answered without a new optional field',
    apply: (service) => presenting(service, 'presentAdded', (pet) => without(pet, 'born')),
    pattern: /POST \/pets .*expected born is "2026-01-31", as it was sent; received born is missing/,
  },
  {
    breaks: 'add.persists',
    title: 'a GET by id is answered without a new optional field',
    apply: (service) => presenting(service, 'presentFetched', (pet) => without(pet, 'born')),
    pattern: /GET \/pets\/\d+ .*expected born is "2026-01-31", as it was sent; received born is missing/,
  },
  {
    breaks: 'list.shows-added',
    title: 'lists omit a new optional field',
    apply: (service) => presenting(service, 'presentListed', (pet) => without(pet, 'born')),
    pattern: /GET \/pets\?limit=50 .*born/,
  },
  {
    breaks: 'add.created',
    title: 'the new status is refused',
    apply: (service) => {
      const read = service.readStatus.bind(service);
      service.readStatus = (body) => {
        if (body.status === STATUS) throw new Problem(400, 'invalid_status', 'status is unknown');
        return read(body);
      };
    },
    pattern: /POST \/pets .*"status":"reserved".*expected status 201.*; received status 400/,
  },
  {
    breaks: 'list.status.only',
    title: 'the new status does not filter',
    apply: (service) => {
      const matches = service.matches.bind(service);
      service.matches = (pet, status) => matches(pet, status === (STATUS as Status) ? undefined : status);
    },
    pattern: /GET \/pets\?\S*status=reserved/,
  },
  {
    breaks: 'list.limit.maximum',
    title: 'the new maximum limit is refused',
    apply: (service) => {
      const read = service.readLimit.bind(service);
      service.readLimit = (text) => read(text === '50' ? '51' : text);
    },
    pattern: /GET \/pets\?limit=50 .*expected status 200; received status 400/,
  },
  {
    breaks: 'list.limit.never-above-maximum',
    title: 'the old maximum limit is still accepted',
    stock: 60,
    apply: (service) => {
      const read = service.readLimit.bind(service);
      service.readLimit = (text) => (text === '51' ? 51 : read(text));
    },
    pattern: /GET \/pets\?limit=51 .*at most 50 animals.*received 51 animals/,
  },
] as const satisfies readonly SecondDefect[];

const all: readonly SecondDefect[] = secondDefects;
const nameOf = ({ breaks, title, alone }: SecondDefect): string => (alone ? `${breaks}: ${title}` : breaks);

/** The services to judge: one for each requirement, with all its defects that do not hide another. */
export const services = Object.values(Object.fromEntries(all.map((own) => [nameOf(own), own]))).map((last) => ({
  breaks: last.breaks,
  defects: all.filter((own) => nameOf(own) === nameOf(last)),
}));
