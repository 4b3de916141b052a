/** Entries of a HAR as another tool writes them. */
import { lawfulHeaders, NOW, pet } from '../unit/make.ts';

export const BASE = 'https://store.example/shop/v1';
export const LIST = JSON.stringify([pet(7, { name: 'Zoë' })]);
export const BYTES = Buffer.byteLength(LIST);

export type Part = Record<string, unknown>;

export interface Changes {
  entry?: Part;
  request?: Part;
  response?: Part;
  content?: Part;
  /** Further headers of the answer. */
  headers?: Record<string, string>;
}

export const pairs = (headers: Record<string, string>): object[] =>
  Object.entries(headers).map(([name, value]) => ({ name, value }));

/** A lawful `GET /pets` as Chrome writes it, with these changes. */
export function entry({ entry: overrides, request, response, content, headers }: Changes = {}): object {
  return {
    startedDateTime: new Date(NOW * 1000).toISOString(),
    time: 5,
    request: {
      ...{ method: 'GET', url: `${BASE}/pets?limit=2`, httpVersion: 'h2', cookies: [], bodySize: 0 },
      headers: pairs({ ':authority': 'store.example', Authorization: 'Bearer a-key-of-others-1' }),
      queryString: pairs({ limit: '2' }),
      ...request,
    },
    response: {
      ...{ status: 200, statusText: '', httpVersion: 'h2', cookies: [], redirectURL: '', bodySize: -1, _error: null },
      headers: pairs({ ...lawfulHeaders(NOW), ...headers }),
      content: { size: BYTES, mimeType: 'application/json', text: LIST, ...content },
      ...response,
    },
    cache: {},
    ...overrides,
  };
}
