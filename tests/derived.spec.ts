/** Operations and parameters that the contract has beyond the specification: everything about them comes from the contract. */
import { LIST, successesOf } from '../fixtures/contract/contract.ts';
import { expect, requirement, test } from '../fixtures/index.ts';
import { judgeResponses } from '../fixtures/judge/response.ts';
import { changes, queries, unknownIds, validCalls } from '../fixtures/plan/derived.ts';
import { isThorough } from '../fixtures/settings/settings.ts';

const calls = validCalls();
const valid = queries(isThorough()).filter((each) => each.case.valid);
const invalid = queries(isThorough()).filter((each) => !each.case.valid);
const odd = invalid.filter(({ operation }) => operation !== LIST);
const outside = invalid.filter(({ requirement: id }) => id === 'service.filter');

test.describe('Beyond the specification', () => {
  for (const { row, operation, title } of calls) {
    test(
      `${operation.name} answers ${title} with a success that is documented`,
      requirement('service.valid-request', operation.id),
      async ({ answers }) => {
        expect(await answers.to(row.name)).toHaveStatus(...successesOf(operation));
      },
    );
  }

  for (const { row, operation, title } of calls.filter((each) => each.operation.body)) {
    test(
      `${operation.name} answers ${title} with what was sent`,
      requirement('service.echo', operation.id),
      async ({ answers }) => {
        const answer = await answers.withObject(row.name);
        expect(answer).toEcho(answer.sent ?? {});
      },
    );
  }

  for (const { row, operation, title, call, sentBy } of changes().filter(
    (each) => each.operation.method !== 'DELETE',
  )) {
    test(
      `what ${operation.name} changed, and what it left, ${title}`,
      requirement('service.changes', operation.id),
      async ({ answers }) => {
        await answers.succeeded(call);
        const after = await answers.to(row.name);
        expect(after).toHaveStatus(200);
        expect(after).toEcho(answers.stateAfter(sentBy));
      },
    );
  }

  for (const { row, operation, title, call } of changes().filter((each) => each.operation.method === 'DELETE')) {
    test(
      `what ${operation.name} removed ${title}`,
      requirement('service.changes', operation.id),
      async ({ answers }) => {
        await answers.succeeded(call);
        expect(await answers.to(row.name)).toHaveStatus(404, 410);
      },
    );
  }

  for (const { row, operation } of unknownIds()) {
    test(
      `${operation.name} answers 404 where nothing has the id`,
      requirement('service.unknown-id', operation.id),
      async ({ answers }) => {
        expect(await answers.to(row.name)).toHaveStatus(404);
      },
    );
  }

  for (const { row, operation, title, requirement: id } of valid.filter(({ filters }) => filters === undefined)) {
    test(`${operation.name} accepts ${title}`, requirement(id, operation.id), async ({ answers }) => {
      expect(await answers.to(row.name)).toHaveStatus(...successesOf(operation));
    });
  }

  for (const { row, operation, filters, title, isThere } of valid.filter((each) => each.filters !== undefined)) {
    test(
      `${operation.name} returns only items whose ${filters} is the one asked for: ${title}`,
      requirement('service.filter', operation.id),
      async ({ answers }) => {
        const list = await answers.to(row.name);
        expect(list).toHaveStatus(200);
        expect(judgeResponses('service.filter', [list.exchange], `lists filtered by ${filters}`)).toHold();
        expect(list).toHoldBetween(Number(isThere(answers.addedBefore(list))), Infinity);
      },
    );
  }

  for (const { row, operation, filters, title } of outside) {
    test(
      `${operation.name} returns no item of another ${filters}: ${title}`,
      requirement('service.filter', operation.id),
      async ({ answers }) => {
        const { exchange } = await answers.to(row.name);
        expect(judgeResponses('service.filter', [exchange], `lists of no ${filters}`)).toHold();
      },
    );
  }

  for (const { row, operation, title, requirement: id } of odd) {
    test(
      `${operation.name} answers ${title} with a 4xx, or as it answers a valid value`,
      requirement(id, operation.id),
      async ({ answers }) => {
        expect(await answers.to(row.name)).toHaveStatus(...successesOf(operation), '4xx');
      },
    );
  }
});
