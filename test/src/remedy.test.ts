import { describe, expect, it } from 'vitest';
import type { CardStatus, TransactionEvent } from '../../src/alert/event.ts';
import { createLog } from '../../src/log.ts';
import { createRemedies } from '../../src/remedy.ts';

const never = async (): Promise<never> => {
  throw new Error('the card API is not asked for this');
};
const event = (code: string, message: string) => ({ acctId: 7, decline: { code, message } }) as TransactionEvent;

describe('the remedy of a decline by the card’s status', () => {
  it.each<[string, (CardStatus | null)[], string, object | null]>([
    ['blocked', ['BLOCKED'], 'Card Status Inactive', { kind: 'unblock' }],
    ['blocked, after an older one ended', ['CLOSED', 'BLOCKED'], 'Card Status Inactive', { kind: 'unblock' }],
    ['not activated', ['INACTIVE'], 'Card Status Inactive', null],
    ['one of two blocked', ['BLOCKED', 'ACTIVE'], 'Card Status Inactive', null],
    ['said to be new', ['BLOCKED'], 'Card Status New Card Pending Activation', null],
    ['said to be closed', ['BLOCKED'], 'Card Status Closed', null],
    ['not known', [], 'Card Status Inactive', null],
  ])('of a card that is %s', async (_what, statuses, message, expected) => {
    const api = { getRemainingLimits: never, getSpendRules: never };
    const { remedyFor } = createRemedies({
      card: api,
      statusesOf: async () => statuses,
      categoryId: never,
      log: createLog({ level: 'silent', process: 'test' }),
    });

    expect(await remedyFor(event('decline.card.status', message))).toEqual(expected);
  });
});
