import { describe, expect, it } from 'vitest';
import type { ActionState } from '../../../src/actions/action-state.ts';
import { createSendChange, type Finish } from '../../../src/actions/send-change.ts';
import { cardInUse, createSendStatus, readBack } from '../../../src/actions/send-status.ts';
import { AccountDetails } from '../../../src/card-api/schema-account.ts';
import { CardApiError, TooLateError } from '../../../src/core/errors.ts';
import type { CardStatus } from '../../../src/core/event.ts';
import { refusal, unanswered } from '../../support/card-api-errors.ts';
import { held } from '../../support/held.ts';
import { acctId, ask } from '../../support/perform-world.ts';
import { card } from '../../templates/fixtures.ts';

const accountWith = (...statuses: string[]): AccountDetails =>
  AccountDetails.parse({
    AccountId: 1,
    AccountStatus: 'OPEN',
    CardList: statuses.map((CardStatus, index) => ({ CardId: index + 1, Last4CardNumber: '1212', CardStatus })),
  });

describe('the selected card', () => {
  it.each([
    ['an activated card', ['CLOSED', 'BLOCKED', 'INACTIVE'], 2],
    ['the active one, not an older blocked one', ['BLOCKED', 'ACTIVE'], 2],
    ['the active one, not a newer blocked one', ['ACTIVE', 'BLOCKED'], 1],
    ['the newest of several active ones', ['ACTIVE', 'ACTIVE', 'INACTIVE'], 2],
    ['a blocked one, not one with an unknown status', ['Lost', 'BLOCKED', 'Lost'], 2],
    ['not one that was removed', ['INACTIVE', 'Removed'], 1],
    ['the newest if none was activated', ['CLOSED', 'INACTIVE', 'INACTIVE'], 3],
    ['the last if all are closed', ['CLOSED', 'CLOSED'], 2],
  ])('is %s', (_which, statuses, cardId) => {
    expect(cardInUse(accountWith(...statuses), null)?.cardId).toBe(cardId);
  });

  it('is the named card, whatever its status', () => {
    expect(cardInUse(accountWith('CLOSED', 'ACTIVE'), 1)?.cardId).toBe(1);
  });
});

describe('a status change', () => {
  const at = { eventId: 'evt_old', status: 'BLOCKED' } as const;
  const times = { callbackAt: '2026-11-20T15:00:00.000Z', receivedAt: '2026-11-20T15:00:00.000Z' };
  const lost = unanswered();

  /** @param given.told status events of the card that arrive after the call. */
  function setUp(given: {
    answer?: Error;
    status?: string;
    told?: readonly { eventId: string; status: CardStatus }[];
    isOvertaken?: boolean;
  }) {
    const steps: string[] = [];
    const { answer, status = 'ACTIVE', told = [], isOvertaken = false } = given;
    let isSent = false;
    let expectedAfter = '';
    const { send } = createSendStatus({
      card: {
        getAccount: async () => accountWith(status),
        setCardStatus: async () => {
          steps.push('sent');
          isSent = true;
          if (answer !== undefined) throw answer;
        },
        activateCard: async () => void steps.push('activated'),
      },
      sendChange: createSendChange({
        activationRefusedHours: 24,
        statusRefusedTexts: [],
        progress: { write: async (_id, next) => next },
        record: async () => {},
        now: () => new Date('2026-11-20T15:00:00Z'),
        latestChanges: {
          changedBy: async () => [],
          changed: async () => ({}),
          isSuperseded: async () => false,
          notMade: async () => ({}),
        },
        reports: { resume: async () => null },
      }),
      latestChanges: {
        activations: async () => [],
        blocksWanted: async () => [],
        isOvertaken: async () => isOvertaken,
      },
      progress: { read: async () => null },
      history: {
        async expectStatus(_acctId, _status, by) {
          expectedAfter = by.after;
        },
        forgetExpected: async () => {},
        isExpected: async () => false,
        statuses: async () => (isSent ? [at, ...told] : [at]).map((status) => ({ ...status, ...times })),
      },
      blocks: { keep: async () => {} },
      scheduleUndoEnd: async () => {},
      now: () => new Date('2026-11-20T15:00:00Z'),
    });
    const block = async (
      written: ActionState | null = null,
      lease = held,
      cardId: number | null = 1,
    ): Promise<string[]> => {
      const finish: Finish = async (state, { confirmation } = {}) => {
        steps.push([state, confirmation].filter(Boolean).join(' '));
        return { state, card, before: null, after: null, apiWords: null, note: null };
      };
      const from = { hasFraudCase: false, before: 'active', card, written };
      await send('block', { action: ask('block'), acctId, cardId }, from, finish, { isLast: false, lease });
      return steps;
    };
    return { block, steps, expectedAfter: () => expectedAfter };
  }

  it.each([1, null])(
    'expects no webhook of an earlier change, also if the card is unread: its id is %j',
    async (cardId) => {
      const world = setUp({});

      await world.block(null, held, cardId);

      expect(world.expectedAfter()).toBe(times.callbackAt);
    },
  );

  it('is sent once', async () => {
    expect(await setUp({}).block()).toEqual(['sent', 'done sent']);
  });

  it('is confirmed if the response is lost but the card shows the change', async () => {
    expect(await setUp({ answer: lost, status: 'BLOCKED' }).block()).toEqual(['sent', 'done confirmed']);
  });

  it('is retried if the response is lost and nothing shows the change', async () => {
    await expect(setUp({ answer: lost }).block()).rejects.toThrow(CardApiError);
  });

  it('is left to the next attempt if something other than the card service fails', async () => {
    const world = setUp({ answer: new TypeError('a fault of ours') });

    await expect(world.block()).rejects.toThrow(TypeError);
    expect(world.steps, 'not reported as a refusal by the card service').toEqual(['sent']);
  });

  it('is not repeated if the response is lost and the card was blocked and unblocked since', async () => {
    const told = [
      { eventId: 'evt_ours', status: 'BLOCKED' },
      { eventId: 'evt_theirs', status: 'ACTIVE' },
    ] as const;

    expect(await setUp({ answer: lost, told }).block()).toEqual(['sent', 'unknown']);
  });

  it.each([
    ['is not repeated after a crash if the card was blocked and unblocked since', 'never', ['unknown']],
    ['is repeated after a crash if the card has no newer events', 'evt_old', ['sent', 'done sent']],
  ])('%s', async (_what, basis, expected) => {
    expect(await setUp({}).block({ state: 'sending', before: null, after: null, basis })).toEqual(expected);
  });

  it('is not sent if a later request overtook it', async () => {
    expect(await setUp({ isOvertaken: true }).block()).toEqual(['failed']);
  });

  it('is not sent by a process that stalled for longer than its lock', async () => {
    const { block, steps } = setUp({});
    const lease = { confirm: async () => Promise.reject(new TooLateError()) };

    await expect(block(null, lease)).rejects.toThrow(TooLateError);

    expect(steps).toEqual([]);
  });
});

describe('reading a status back', () => {
  it('returns null if the card service cannot be read', async () => {
    const getAccount = async () => {
      throw refusal(null);
    };

    expect(await readBack(1, null, { getAccount })).toBeNull();
  });

  it('returns the current status of the card', async () => {
    expect(await readBack(1, null, { getAccount: async () => accountWith('BLOCKED') })).toBe('BLOCKED');
  });
});
