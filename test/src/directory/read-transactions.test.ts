import { expect, it } from 'vitest';
import { PayloadError } from '../../../src/core/errors.ts';
import { createReadTransactions } from '../../../src/directory/read-transactions.ts';
import { unanswered } from '../../support/card-api-errors.ts';
import { transactionAlert } from '../../templates/fixtures.ts';

const window = { from: new Date('2026-10-20T00:00:00Z'), to: new Date('2026-11-20T00:00:00Z') };
const { event } = transactionAlert();

it('reads the transactions of the card service and skips unreadable rows', async () => {
  const read = createReadTransactions({
    card: { listAccountNetworkTransactions: async () => [{ ok: true }, { ok: false }] },
    toMissed: ({ ok }) => {
      if (ok !== true) throw new PayloadError(['not a transaction']);
      return event;
    },
  });

  expect(await read(7378, window)).toEqual([event]);
});

it('returns null instead of failing if the card service is down', async () => {
  const read = createReadTransactions({
    card: { listAccountNetworkTransactions: () => Promise.reject(unanswered()) },
    toMissed: () => event,
  });

  expect(await read(7378, window)).toBeNull();
});
