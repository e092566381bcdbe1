import { describe, expect, it } from 'vitest';
import type { ActionState } from '../../../src/actions/action-state.ts';
import { createSendChange, type Finish } from '../../../src/actions/send-change.ts';
import { cardInUse, createSendStatus, readBack } from '../../../src/actions/send-status.ts';
import { AccountDetails } from '../../../src/card-api/schema-account.ts';
import { CardApiError, TooLateError } from '../../../src/core/errors.ts';
import type { CardStatus } from '../../../src/core/event.ts';
import { held } from '../../support/held.ts';
import { acctId, ask } from '../../support/perform-world.ts';
import { card } from '../../templates/fixtures.ts';

const accountWith = (...statuses: string[]): AccountDetails =>
  AccountDetails.parse({
    AccountId: 1,
    AccountStatus: 'OPEN',
    CardList: statuses.map((CardStatus, index) => ({ CardId: index + 1, Last4CardNumber: '1212', CardStatus })),
  });

const refused = (apiMessage: string | null) =>
  new CardApiError('refused', {
    operation: 'setCardStatus',
    status: 400,
    outcome: 'refused',
    code: 'refused',
    apiMessage,
  });

describe('the card that is meant', () => {
  it.each([
    ['one that was activated', ['CLOSED', 'BLOCKED', 'INACTIVE'], 2],
    ['the newest where none was activated', ['CLOSED', 'INACTIVE', 'INACTIVE'], 3],
    ['the last where all are closed', ['CLOSED', 'CLOSED'], 2],
  ])('is %s', (_which, statuses, cardId) => {
    expect(cardInUse(accountWith(...statuses), null)?.cardId).toBe(cardId);
  });

  it('is the one that was named, whatever its status', () => {
    expect(cardInUse(accountWith('CLOSED', 'ACTIVE'), 1)?.cardId).toBe(1);
  });
});

describe('a change of a status', () => {
  const at = { eventId: 'evt_old', status: 'BLOCKED' } as const;
  const lost = new CardApiError('lost', {
    operation: 'setCardStatus',
    status: null,
    outcome: 'unknown',
    code: 'unavailable',
    apiMessage: null,
  });

  /** @param given.told what the card service tells of the card after the call. */
  function setUp(given: {
    answer?: Error;
    status?: string;
    told?: readonly { eventId: string; status: CardStatus }[];
    isOvertaken?: boolean;
  }) {
    const steps: string[] = [];
    const { answer, status = 'ACTIVE', told = [], isOvertaken = false } = given;
    let isSent = false;
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
        progress: { write: async (_id, next) => next },
        record: async () => {},
        latestChanges: {
          changedBy: async () => [],
          changed: async () => {},
          isSuperseded: async () => false,
          notMade: async () => {},
        },
        reports: { resume: async () => null },
      }),
      latestChanges: { alreadyInEffect: async () => {} },
      history: {
        expectStatus: async () => {},
        forgetExpected: async () => {},
        statuses: async () => (isSent ? [at, ...told] : [at]),
      },
      whyOvertaken: async () => (isOvertaken ? 'Somebody asked for something else.' : null),
      offerUndo: async () => ({ control: null }),
    });
    const block = async (written: ActionState | null = null, lease = held): Promise<string[]> => {
      const finish: Finish = async (state, { confirmation } = {}) => {
        steps.push([state, confirmation].filter(Boolean).join(' '));
        return { state, card, before: null, after: null, apiWords: null, note: null };
      };
      const from = { before: 'active', card, written };
      await send('block', { action: ask('block'), acctId, cardId: 1 }, from, finish, { isLast: false, lease });
      return steps;
    };
    return { block, steps };
  }

  it('is sent once', async () => {
    expect(await setUp({}).block()).toEqual(['sent', 'done sent']);
  });

  it('is confirmed where the answer is lost and the card shows it', async () => {
    expect(await setUp({ answer: lost, status: 'BLOCKED' }).block()).toEqual(['sent', 'done confirmed']);
  });

  it('is tried again where the answer is lost and nothing shows it', async () => {
    await expect(setUp({ answer: lost }).block()).rejects.toThrow(CardApiError);
  });

  it('is left to the next run where something else than the card service fails', async () => {
    const world = setUp({ answer: new TypeError('a fault of ours') });

    await expect(world.block()).rejects.toThrow(TypeError);
    expect(world.steps, 'nothing is told as if the service had refused').toEqual(['sent']);
  });

  it('is not repeated where the answer is lost and the card was blocked and unblocked since', async () => {
    const told = [
      { eventId: 'evt_ours', status: 'BLOCKED' },
      { eventId: 'evt_theirs', status: 'ACTIVE' },
    ] as const;

    expect(await setUp({ answer: lost, told }).block()).toEqual(['sent', 'unknown']);
  });

  it.each([
    ['is not repeated after a crash where the card was blocked and unblocked since', 'never', ['unknown']],
    ['is repeated after a crash where nothing was told of the card since', 'evt_old', ['sent', 'done sent']],
  ])('%s', async (_what, basis, expected) => {
    expect(await setUp({}).block({ state: 'sending', before: null, after: null, basis })).toEqual(expected);
  });

  it('is not sent where something else was decided later', async () => {
    expect(await setUp({ isOvertaken: true }).block()).toEqual(['failed']);
  });

  it('is not sent by a process that stood still for longer than its lock', async () => {
    const { block, steps } = setUp({});
    const lease = { confirm: async () => Promise.reject(new TooLateError()) };

    await expect(block(null, lease)).rejects.toThrow(TooLateError);

    expect(steps).toEqual([]);
  });
});

describe('reading a status back', () => {
  it('answers nothing where the card service cannot be read', async () => {
    const getAccount = async () => {
      throw refused(null);
    };

    expect(await readBack(1, null, { getAccount })).toBeNull();
  });

  it('answers the status that the card has now', async () => {
    expect(await readBack(1, null, { getAccount: async () => accountWith('BLOCKED') })).toBe('BLOCKED');
  });
});
