/** A service that implements the second contract, on top of the reference. */
import { isLosslessNumber, LosslessNumber, stringify } from 'lossless-json';
import type { Incoming, Pet, Reply, Status } from '../../../fixtures/reference/service.ts';
import { Problem, ROUTES, Service } from '../../../fixtures/reference/service.ts';

type Body = Record<string, unknown>;

export type SecondPet = Pet & { weight: bigint };

const SECOND_ROUTES = {
  ...ROUTES,
  '/pets/:petId': { GET: 'getPet', PUT: 'replacePet', PATCH: 'changePet', DELETE: 'deletePet' },
  '/pets/:petId/price': { GET: 'getPrice' },
  '/pets/:petId/photos': { POST: 'addPhoto' },
  '/pets/:petId/photos/:photoId': { GET: 'getPhoto', DELETE: 'deletePhoto' },
  '/store/orders/:orderId': { DELETE: 'cancelOrder' },
} as const satisfies Record<string, Record<string, keyof SecondService>>;

export class SecondService extends Service {
  override readonly routes = SECOND_ROUTES;
  /** The requests in their order. */
  readonly asked: Pick<Incoming, 'method' | 'path'>[] = [];

  override keyOf(request: Incoming): string | undefined {
    this.asked.push(request);
    return super.keyOf(request);
  }

  override listPets(request: Incoming): Reply {
    const limit = this.readLimit(request.query.limit);
    const found = this.select(Infinity, this.readStatusFilter(request.query.status));
    const named = found.filter((pet) => this.isNamed(pet, request.query.name));
    return { status: 200, headers: {}, body: named.slice(0, limit).map((pet) => this.present(pet, 'list')) };
  }

  isNamed(pet: Pet, name: string | undefined): boolean {
    return name === undefined || pet.name === name;
  }

  override readLimit(text: string | undefined): number {
    if (Number(text) > 50) throw new Problem(400, 'invalid_limit', 'limit is 50 at most');
    return super.readLimit(text);
  }

  override readStatusFilter(text: string | undefined): Status | undefined {
    return text === 'reserved' ? (text as Status) : super.readStatusFilter(text);
  }

  override readStatus(body: Body): Status | undefined {
    return body.status === 'reserved' ? (body.status as Status) : super.readStatus(body);
  }

  readWeight({ weight }: Body): bigint {
    const value = isLosslessNumber(weight) && /^\d{1,4}$/.test(weight.value) ? BigInt(weight.value) : 0n;
    if (value < 1n || value > 9000n) throw new Problem(400, 'invalid_weight', 'weight is an integer from 1 to 9000');
    return value;
  }

  override newPet(body: Body): Omit<SecondPet, 'id'> {
    return { ...super.newPet(body), weight: this.readWeight(body) };
  }

  /** Also below the address of an animal. */
  override findPet(request: Incoming): SecondPet {
    return super.findPet({ ...request, path: request.path.replace(/\/(price|photos.*)$/, '') }) as SecondPet;
  }

  replacePet(request: Incoming): Reply {
    const { id } = this.findPet(request);
    return this.keep({ id, ...this.newPet(this.readBody(request)) }, 'PUT');
  }

  changePet(request: Incoming): Reply {
    const before = this.findPet(request);
    const body = this.readBody(request);
    const [categoryId, weight] = [before.categoryId, before.weight].map((value) => new LosslessNumber(String(value)));
    // Fields that are not sent stay, and those that are sent have to be valid.
    const whole = this.newPet({ name: before.name, categoryId, weight, ...body });
    const sent = Object.fromEntries(Object.entries(whole).filter(([field]) => field in body));
    return this.keep({ ...before, ...sent }, 'PATCH');
  }

  /** @param _by the HTTP method. */
  keep(pet: SecondPet, _by: string): Reply {
    this.pets.set(pet.id, pet);
    return { status: 200, headers: {}, body: this.present(pet, 'change') };
  }

  deletePet(request: Incoming): Reply {
    this.pets.delete(this.findPet(request).id);
    return { status: 204, headers: {} };
  }

  getPrice(request: Incoming): Reply {
    this.findPet(request);
    return { status: 200, headers: { 'X-Valid-Until': '1800000000' }, body: { amount: 25 } };
  }

  readonly photos = new Set<string>();

  addPhoto(request: Incoming): Reply {
    const { id } = this.findPet(request);
    if (stringify(this.readBody(request)) !== `{"petId":${id}}`) throw new Problem(400, 'invalid', 'not its petId');
    this.photos.add(`/pets/${id}/photos/1`);
    return { status: 201, headers: {}, body: { id: 1 } };
  }

  getPhoto({ path }: Incoming): Reply {
    if (!this.photos.has(path)) throw this.notFound(path);
    return { status: 200, headers: {}, body: { id: 1 } };
  }

  deletePhoto(request: Incoming): Reply {
    this.getPhoto(request);
    this.photos.delete(request.path);
    return { status: 204, headers: {} };
  }

  cancelOrder({ path }: Incoming): Reply {
    throw this.notFound(path);
  }
}
