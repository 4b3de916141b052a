/** Derived from the contract: invalid bodies, and operations and parameters beyond the specification. */
import {
  type Answer,
  type Answers,
  bodySchemaOf,
  effects,
  expect,
  invalidBodies,
  isThorough,
  type Json,
  judgeResponses,
  LIST,
  notJudged,
  type Operation,
  queries,
  requirement,
  type RowName,
  successesOf,
  supporting,
  test,
  unknownIdCalls,
  validCalls,
} from '../fixtures/index.ts';

const bodies = invalidBodies(isThorough());
const calls = validCalls();
const valid = queries(isThorough()).filter((each) => each.valid);
const invalid = queries(isThorough()).filter((each) => !each.valid);
const elsewhere = invalid.filter(({ operation }) => operation !== LIST);
const outside = invalid.filter(({ requirements }) => requirements[0] === 'service.filter');

const isSuccess = ({ status }: Answer): boolean => status >= 200 && status < 300;

// 202 announces a later change (RFC 9110, section 15.3.3).
const isDone = (answer: Answer): boolean => isSuccess(answer) && answer.status !== 202;
const whyNotDone = ({ status }: Answer) =>
  status === 202
    ? notJudged.accepted(status)
    : notJudged.see(`the call before it was answered ${status}`, 'service.valid-request');

/** Whether a success has no body, and the contract shows none for it. */
const isEmptyAsDocumented = (operation: Operation, answer: Answer): boolean =>
  isSuccess(answer) && answer.exchange.response?.body === '' && bodySchemaOf(operation, answer.status) === undefined;

/** Merges the bodies of these rows in order. */
const stateAfter = ({ known }: Answers, rows: readonly RowName[]): Record<string, Json> =>
  Object.assign({}, ...rows.map((row) => known.answer(row)?.sent ?? {})) as Record<string, Json>;

test.describe('A body with a fault', () => {
  for (const { name, operation, requirements, title } of bodies.filter((each) => !each.mayBeAccepted)) {
    test(
      `${operation.name} returns 400 if ${title}`,
      requirement(requirements[0], operation.id),
      async ({ answers }) => {
        expect(await answers.to(name)).toHaveStatus(400);
      },
    );
  }

  for (const { name, operation, requirements, title } of bodies.filter((each) => each.mayBeAccepted)) {
    test(
      `${operation.name} returns no 5xx if ${title}`,
      supporting(requirements[0], operation.id),
      async ({ answers }) => {
        expect(await answers.to(name)).toHaveStatus('2xx', '3xx', '4xx');
      },
    );
  }
});

test.describe('Beyond the specification', () => {
  for (const { name, operation, title } of calls) {
    test(
      `${operation.name} returns a documented success to ${title}`,
      requirement('service.valid-request', operation.id),
      async ({ answers }) => {
        expect(await answers.to(name)).toHaveStatus(...successesOf(operation));
      },
    );
  }

  for (const { name, operation, title } of calls.filter((each) => each.operation.body)) {
    test(
      `${operation.name} returns what was sent in ${title}`,
      requirement('service.echo', operation.id),
      async ({ answers }) => {
        const answer = await answers.to(name);
        test.skip(isEmptyAsDocumented(operation, answer), notJudged.noBodyDocumented(operation.name));
        expect(answer).toEcho(answer.sent ?? {});
      },
    );
  }

  for (const { name, title, call, sentBy } of effects().filter(({ call }) => call.method !== 'DELETE')) {
    test(
      `${call.operation.name} changes what was sent and leaves the rest, ${title}`,
      requirement('service.changes', call.operation.id),
      async ({ answers }) => {
        const changed = await answers.to(call.name);
        test.skip(!isDone(changed), whyNotDone(changed));
        const after = await answers.to(name);
        expect(after).toHaveStatus(200);
        expect(after).toEcho(stateAfter(answers, sentBy));
      },
    );
  }

  for (const { name, title, call } of effects().filter(({ call }) => call.method === 'DELETE')) {
    test(
      `${call.operation.name} removes it, ${title}`,
      requirement('service.changes', call.operation.id),
      async ({ answers }) => {
        const removed = await answers.to(call.name);
        test.skip(!isDone(removed), whyNotDone(removed));
        expect(await answers.to(name)).toHaveStatus(404, 410);
      },
    );
  }

  for (const { name, operation } of unknownIdCalls()) {
    test(
      `${operation.name} returns 404 if nothing has the id`,
      requirement('service.unknown-id', operation.id),
      async ({ answers }) => {
        expect(await answers.to(name)).toHaveStatus(404);
      },
    );
  }

  for (const { name, operation, title, requirements } of valid.filter(({ filters }) => filters === undefined)) {
    test(`${operation.name} accepts ${title}`, requirement(requirements[0], operation.id), async ({ answers }) => {
      expect(await answers.to(name)).toHaveStatus(...successesOf(operation));
    });
  }

  for (const { name, operation, filters, title, isThere } of valid.filter((each) => each.filters !== undefined)) {
    test(
      `${operation.name} returns only items with the ${filters} that was asked for: ${title}`,
      requirement('service.filter', operation.id),
      async ({ answers }) => {
        const list = await answers.to(name);
        expect(list).toHaveStatus(200);
        expect(judgeResponses('service.filter', [list.exchange], `lists filtered by ${filters}`)).toBeSatisfied();
        expect(list).toHaveLengthBetween(Number(isThere(answers.known.addedBefore(list))), Infinity);
      },
    );
  }

  for (const { name, operation, filters, title } of outside) {
    test(
      `${operation.name} returns no item of another ${filters}: ${title}`,
      requirement('service.filter', operation.id),
      async ({ answers }) => {
        const { exchange } = await answers.to(name);
        expect(judgeResponses('service.filter', [exchange], `lists of no ${filters}`)).toBeSatisfied();
      },
    );
  }

  for (const { name, operation, title, requirements } of elsewhere) {
    test(
      `${operation.name} returns a 4xx to ${title}, or what it returns to a valid value`,
      requirement(requirements[0], operation.id),
      async ({ answers }) => {
        expect(await answers.to(name)).toHaveStatus(...successesOf(operation), '4xx');
      },
    );
  }
});
