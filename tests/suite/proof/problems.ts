/** Checks problems: one for each defect, with operation and place in the title. */
import { operations } from '../../../fixtures/contract/contract.ts';
import { type RequirementId, requirementOf } from '../../../fixtures/contract/requirements.ts';
import { LONGEST_TITLE } from '../../../fixtures/report/model/title.ts';

export interface Reported {
  title: string;
  list: string;
  requirements: string[];
  hides: string[];
}

/** The share of defects that must be exactly one problem. */
export const ONE_PROBLEM = 0.97;
/** The share of defects that must be found in recordings that are read as traffic of another tool. */
export const IN_TRAFFIC = 0.855;
/** The share of combinations that must have one problem for each defect. */
export const AS_MANY = 0.92;

/** What the first title has to name, by the beginning of the broken requirement's id; without a row, a word of its sentence. */
const PLACES = {
  'list.limit': /limit/,
  'list.status': /status/,
  'list.shows-added': /the list|item|\bid\b|name|categoryId|status|limit/,
  'list.succeeds': /: (\d{3}|the body|an item)|body/,
  'add.name': /name|body|bodies/,
  'add.category': /categoryId/,
  'add.status': /status/,
  'add.body': /body|bodies|name/,
  'add.created': /\d{3}|\bid\b|body/,
  'add.echo': /name|categoryId|status|animal/,
  'add.id': /\bid\b|ids/,
  'add.persists': /404|name|categoryId|status|animal|the list/,
  'add.rejected': /rejected requests/,
  'get.id': /petId|\d{3}/,
  'get.': /\d{3}|\bid\b|header|Deprecation|Sunset|animal/,
  'orders.exists': /orders\b.*: \d{3}/,
  'auth.refused': /rejected requests/,
  'auth.challenge': /WWW-Authenticate/,
  'auth.': /\d{3}/,
  'rate.headers': /X-RateLimit-/,
  'rate.limit': /X-RateLimit-Limit/,
  'rate.plan': /X-RateLimit-Limit/,
  'rate.remaining': /X-RateLimit-Remaining/,
  'rate.reset': /X-RateLimit-Reset/,
  'throttle.retry-after': /Retry-After/,
  'throttle.': /\d{3}|limit|rejected/,
  'service.json': /Content-Type|JSON|body|UTF-8/,
  'service.no-server-error': /5\d\d/,
  'service.no-undocumented-status': /\d{3}/,
  'pet.int64': /\bid\b|categoryId/,
  'pet.': /\bid\b|name|categoryId|status|body/,
  'pets.': /\bid\b|name|categoryId|status|body|item/,
  'error.status': /status in the Error/,
  'error.schema': /code|message|status|body/,
  'error.no-secrets': /key|stack trace/,
  'add.unsupported': /\d{3}/,
  'http.head': /\d{3}|body/,
  'http.method': /\d{3}|Allow/,
  'http.duplicate': /name/,
} as const satisfies Record<string, RegExp>;

function findPlace(breaks: string): RegExp {
  const place = Object.entries(PLACES).find(([prefix]) => breaks.startsWith(prefix))?.[1];
  const words = requirementOf(breaks as RequirementId).statement.match(/[\w-]{5,}/g) ?? [];
  return place ?? new RegExp(`\\b(${words.join('|')})\\b`);
}

/** Requests that the contract does not know. */
const WITHOUT_OPERATION = ['HEAD /', 'PUT /', 'DELETE /'];

/** The problems in the list of the broken requirement. */
export const ofDefect = (problems: readonly Reported[], breaks: string): Reported[] => {
  const own = problems.find(({ requirements }) => requirements.includes(breaks));
  // The reference's own recommendations are not part of the defect.
  return problems.filter(({ list, requirements }) =>
    own?.list === 'advice' ? list === 'advice' && requirements.includes(breaks) : list === 'gates',
  );
};

export function mistakesOfTitle(title: string, breaks: string): string[] {
  const place = findPlace(breaks);
  const where = [...operations.map(({ name }) => name), 'Every operation', ...WITHOUT_OPERATION];
  return [
    ...(title.length > LONGEST_TITLE ? [`it has ${title.length} characters`] : []),
    ...(/…|\{"/.test(title) ? ['it holds a body or is cut'] : []),
    ...(/conformance-\w{6}-|\d{17}/.test(title.replaceAll(/9223372036854775\d{3}|9{20}/g, ''))
      ? ['it holds a random id']
      : []),
    ...(where.some((each) => title.includes(each)) ? [] : ['it names no operation']),
    ...(place.test(title) ? [] : [`it does not name ${String(place)}`]),
  ].map((mistake) => `the title "${title}": ${mistake}`);
}
