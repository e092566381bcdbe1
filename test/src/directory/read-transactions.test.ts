import { expect, it } from 'vitest';
import { PayloadError } from '../../../src/core/errors.ts';
import { createReadTransactions } from '../../../src/directory/read-transactions.ts';
import { unanswered } from '../../support/card-api-errors.ts';
import { transactionAlert } from '../../templates/fixtures.ts';

const window = { from: new Date('2026-10-20T00:00:00Z'), to: new Date('2026-11-20T00:00:00Z') };
const { event } = transactionAlert();

it.each([
  ['counts those that cannot be read', [true, false], { events: [event], unreadable: 1 }],
  ['may be empty', [], { events: [], unreadable: 0 }],
  ['is not called empty if none can be read', [false, false], null],
])('the list of an account’s transactions %s', async (_what, rows, expected) => {
  const read = createReadTransactions({
    card: { listAccountNetworkTransactions: async () => rows.map((ok) => ({ ok })) },
    toMissed: ({ ok }) => {
      if (ok !== true) throw new PayloadError(['not a transaction']);
      return event;
    },
  });

  expect(await read(7378, window)).toEqual(expected);
});

it('returns null instead of failing if the card service is down', async () => {
  const read = createReadTransactions({
    card: { listAccountNetworkTransactions: () => Promise.reject(unanswered()) },
    toMissed: () => event,
  });

  expect(await read(7378, window)).toBeNull();
});

it('gives the card service as long for one answer as a person waits: a list of a year takes long', async () => {
  const limits: unknown[] = [];
  const read = createReadTransactions({
    card: {
      async listAccountNetworkTransactions(_acctId, _window, options) {
        limits.push(options);
        return [];
      },
    },
    toMissed: () => event,
  });

  await read(7378, window);

  expect(limits).toEqual([{ deadlineMs: 20_000, attemptMs: 20_000 }]);
});
