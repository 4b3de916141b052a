/** A service that implements the second contract, on top of the reference. */
import { isLosslessNumber, LosslessNumber } from 'lossless-json';
import {
  type Incoming,
  type NewPet,
  type Pet,
  Problem,
  type Reply,
  Service,
  STATUSES,
  type Status,
} from '../../../fixtures/reference/service.ts';
import { MAXIMUM, STATUS } from './second-contract.ts';

export interface SecondPet extends Pet {
  weight: bigint;
  born?: string;
  size?: string;
}

const toLossless = (value: bigint): LosslessNumber => new LosslessNumber(String(value));

const statuses = [...STATUSES, STATUS] as readonly Status[];

export class SecondService extends Service {
  /** The version of each animal, from 1. */
  readonly versions = new Map<bigint, bigint>();
  /** The requests in their order, for tests. */
  readonly asked: Pick<Incoming, 'method' | 'path'>[] = [];

  override keyOf(request: Incoming): string | undefined {
    this.asked.push(request);
    return super.keyOf(request);
  }

  // ---- GET /pets

  override listPets(request: Incoming): Reply {
    const limit = this.readLimit(request.query.limit);
    const status = this.readStatusFilter(request.query.status);
    const category = this.categoryOfQuery(request.query.categoryId);
    const size = this.sizeOf(request.query);
    const found = this.sorted([...this.pets.values()], this.sortOfQuery(request.query.sort)).filter(
      (pet) =>
        this.matches(pet, status) &&
        this.isNamed(pet, request.query.name) &&
        this.isOf(pet, category) &&
        this.hasSize(pet, size),
    );
    return { status: 200, headers: {}, body: found.slice(0, limit).map((pet) => this.presentListed(pet)) };
  }

  override readLimit(text: string | undefined): number {
    if (text !== undefined && Number(text) > MAXIMUM) throw new Problem(400, 'invalid_limit', 'limit is 50 at most');
    return super.readLimit(text);
  }

  override readStatusFilter(text: string | undefined): Status | undefined {
    return text === STATUS ? (text as Status) : super.readStatusFilter(text);
  }

  categoryOfQuery(text: string | undefined): bigint | undefined {
    if (text !== undefined && !/^-?\d{1,19}$/.test(text))
      throw new Problem(400, 'invalid_category', 'categoryId is an integer');
    return text === undefined ? undefined : BigInt(text);
  }

  sortOfQuery(text = 'oldest'): string {
    if (!['oldest', 'newest'].includes(text)) throw new Problem(400, 'invalid_sort', 'sort is oldest or newest');
    return text;
  }

  isNamed(pet: Pet, name: string | undefined): boolean {
    return name === undefined || pet.name === name;
  }

  isOf(pet: Pet, category: bigint | undefined): boolean {
    return category === undefined || pet.categoryId === category;
  }

  hasSize(pet: Pet, size: string | undefined): boolean {
    return size === undefined || (pet as SecondPet).size === size;
  }

  sorted(pets: Pet[], sort: string): Pet[] {
    return sort === 'newest' ? pets.toReversed() : pets;
  }

  // ---- bodies

  override newPet(body: Record<string, unknown>): NewPet {
    const [born, size] = [this.readBorn(body), this.sizeOf(body)];
    const pet: Omit<SecondPet, 'id'> = {
      ...super.newPet(body),
      weight: this.readWeight(body),
      ...(born !== undefined && { born }),
      ...(size !== undefined && { size }),
    };
    return pet;
  }

  override readStatus(body: Record<string, unknown>): Status | undefined {
    return statuses.includes(body.status as Status) ? (body.status as Status) : super.readStatus(body);
  }

  readWeight({ weight }: Record<string, unknown>): bigint {
    const digits = isLosslessNumber(weight) && /^\d{1,4}$/.test(weight.value) ? BigInt(weight.value) : 0n;
    if (digits < 1n || digits > 9000n)
      throw new Problem(400, 'invalid_weight', 'weight is required, and is an integer from 1 to 9000');
    return digits;
  }

  readBorn(body: Record<string, unknown>): string | undefined {
    if (!Object.hasOwn(body, 'born')) return undefined;
    const { born } = body;
    if (typeof born !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(born))
      throw new Problem(400, 'invalid_born', 'born is a date');
    return born;
  }

  sizeOf(values: Record<string, unknown>): string | undefined {
    if (Object.hasOwn(values, 'size') && !['small', 'large'].includes(values.size as string))
      throw new Problem(400, 'invalid_size', 'size is small or large');
    return values.size as string | undefined;
  }

  // ---- PUT, PATCH and DELETE /pets/{petId}, GET /pets/{petId}/price

  replacePet(request: Incoming): Reply {
    const { id } = this.petOf(request);
    const pet = { id, ...this.newPet(this.readBody(request)) };
    this.pets.set(id, pet);
    this.versions.set(id, (this.versions.get(id) ?? 1n) + 1n);
    return { status: 200, headers: {}, body: this.presentReplaced(pet) };
  }

  presentReplaced(pet: Pet): unknown {
    return { ...this.present(pet), version: this.versions.get(pet.id) };
  }

  changePet(request: Incoming): Reply {
    const before = this.petOf(request);
    const body = this.readBody(request);
    // Fields that are not sent stay; fields that are sent have to be valid.
    const whole = { name: before.name, categoryId: toLossless(before.categoryId), weight: toLossless(before.weight) };
    const { name, status, weight } = this.newPet({ ...whole, ...body }) as SecondPet;
    const sent = { name, ...(status && { status }), weight };
    const pet = this.changed(before, Object.fromEntries(Object.entries(sent).filter(([field]) => field in body)));
    this.pets.set(pet.id, pet);
    return { status: 200, headers: {}, body: this.present({ ...before, ...sent }) };
  }

  changed(before: SecondPet, sent: Partial<SecondPet>): SecondPet {
    return { ...before, ...sent };
  }

  deletePet(request: Incoming): Reply {
    this.pets.delete(this.petOf(request).id);
    return { status: 204, headers: {} };
  }

  getPrice(request: Incoming): Reply {
    this.petOf(request);
    return { status: 200, headers: this.priceHeaders(), body: this.price() };
  }

  price(): unknown {
    return { amount: 25, currency: 'EUR' };
  }

  priceHeaders(): Record<string, string> {
    return { 'X-Valid-Until': '1800000000', 'X-Discount': '5' };
  }

  petOf({ path }: Incoming): SecondPet {
    const text = decodeURIComponent(path.split('/')[2] ?? '');
    const pet = this.find(text) as SecondPet | undefined;
    if (!pet) throw this.notFound(text);
    return pet;
  }

  /** Replaces the 404 and 405 of the reference, which lacks these routes, after it checked limits and key. */
  override finish(request: Incoming, reply: Reply): Reply | Promise<Reply> {
    const operation = this.#operationOf(request);
    if (!operation || reply.status === 401 || reply.status === 429) return reply;
    const { Allow: _, ...headers } = reply.headers;
    const own = this.#answerOf(request, operation);
    return { ...own, headers: { ...headers, ...own.headers } };
  }

  #operationOf({ method, path }: Incoming): ((request: Incoming) => Reply) | undefined {
    if (/^\/pets\/[^/]+\/price$/.test(path)) return method === 'GET' ? (request) => this.getPrice(request) : undefined;
    if (!path.startsWith('/pets/')) return undefined;
    if (method === 'PUT') return (request) => this.replacePet(request);
    if (method === 'PATCH') return (request) => this.changePet(request);
    return method === 'DELETE' ? (request) => this.deletePet(request) : undefined;
  }

  #answerOf(request: Incoming, operation: (request: Incoming) => Reply): Reply {
    try {
      return operation(request);
    } catch (error) {
      const problem = error instanceof Problem ? error : new Problem(500, 'internal', 'Internal server error');
      return { status: problem.status, headers: problem.headers, body: this.presentError(problem, request) };
    }
  }
}
