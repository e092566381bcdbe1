import { describe, expect, it } from 'vitest';
import { type ActionState, type Result, reported, stateOf } from '../../../src/actions/action-state.ts';
import { CardApiError } from '../../../src/core/errors.ts';
import { createSendRules } from '../../../src/limits/send-rules.ts';
import { limitMove } from '../../support/limit-goals.ts';
import { acctId, ask } from '../../support/perform-world.ts';
import { card } from '../../templates/fixtures.ts';

const action = ask('limit');
const changes = [limitMove('daily', 40_000, 45_000)];
const forAnHour = { kind: 'duration', ms: 3_600_000 } as const;
const sending: ActionState = { state: 'sending', before: null, after: null };
const done: Result = { state: 'done', card, before: null, after: null, apiWords: null, note: null };

interface Given {
  /** What the card service answers to the write. */
  readonly outcome?: 'unknown' | 'refused';
  readonly retryable?: boolean;
  /** The daily limit when it is read back, in dollars; null: it cannot be read. */
  readonly readBack?: number | null;
  readonly isSuperseded?: boolean;
  /** What stands when progress is written. */
  readonly stands?: ActionState;
}

function setUp(given: Given = {}) {
  const steps: string[] = [];
  const { outcome, retryable = false, readBack = 400, isSuperseded = false, stands } = given;
  const failed = (operation: string): CardApiError =>
    new CardApiError('lost', {
      operation,
      status: retryable ? 503 : 400,
      outcome: outcome ?? 'unknown',
      code: retryable ? 'unavailable' : 'refused',
      apiMessage: 'No.',
    });
  const send = createSendRules({
    card: {
      getSpendRules: async () => {
        if (readBack === null) throw failed('read');
        const none = { daily: null, weekly: null, monthly: null, yearly: null, lifetime: null };
        const rules = {
          limits: { ...none, daily: readBack * 100 },
          categories: [],
          apartCents: 0,
          isEveryCategoryAllowed: true,
          isInternationalAllowed: true,
          isCardNotPresentAllowed: true,
        };
        return { rules, raw: {} };
      },
      putSpendRules: async () => {
        steps.push('written');
        if (outcome !== undefined) throw failed('write');
      },
    },
    applyChanges: (raw) => raw,
    progress: {
      write: async (_id, entry) => {
        steps.push(`progress ${entry.state}`);
        return stands ?? entry;
      },
    },
    latestChanges: {
      changed: async () => void steps.push('noted'),
      changedBy: async () => [],
      isSuperseded: async () => isSuperseded,
    },
    record: async (_action, { event }) => void steps.push(`on record: ${event}`),
    reports: {
      async resume(_action, _verb, state) {
        const known = reported(state);
        if (known !== null) steps.push('told again');
        return known?.result ?? null;
      },
    },
    terms: {
      resolve: async () => {
        steps.push('its end starts');
        return null;
      },
      openUnsent: async () => {
        steps.push('its end is known');
        return { note: null, control: null };
      },
      forgetIfGone: async () => void steps.push('its end is forgotten if it is not there'),
      forget: async () => void steps.push('its end is forgotten'),
    },
  });
  const run = async (written: ActionState | null = null, isLast = false): Promise<Partial<Result>> =>
    await send(
      { action, acctId, changes, term: forAnHour, requestId: null, card, raw: {}, written },
      { isLast },
      async (state, rest = {}) => {
        const { confirmation, apiWords } = rest;
        steps.push([state, confirmation, apiWords].filter(Boolean).join(' '));
        return { ...done, ...rest, state };
      },
      {},
    );
  return { run, steps };
}

const before = ['progress sending', 'on record: sent', 'noted', 'its end is known', 'written'];

describe('a change of rules', () => {
  it('is written down, put on record and given an end before the card service has it', async () => {
    const { run, steps } = setUp();

    await run();

    expect(steps).toEqual([...before, 'its end starts', 'done sent']);
  });

  it.each<[string, Given, boolean, string[]]>([
    [
      'the answer is lost and it is there: confirmed',
      { outcome: 'unknown', readBack: 450 },
      false,
      ['its end starts', 'done confirmed'],
    ],
    ['it is refused: failed, without an end', { outcome: 'refused' }, false, ['its end is forgotten', 'failed No.']],
    [
      'the answer is lost and nobody can look, on the last attempt: not known, and its end stays',
      { outcome: 'unknown', readBack: null },
      true,
      ['unknown No.'],
    ],
  ])('where %s', async (_what, given, isLast, expected) => {
    const { run, steps } = setUp(given);

    await run(null, isLast);

    expect(steps).toEqual([...before, ...expected]);
  });

  it.each<[string, Given]>([
    ['the card service is away', { outcome: 'refused', retryable: true }],
    ['nobody can look whether it is there', { outcome: 'unknown', readBack: null }],
  ])('is tried again where %s', async (_what, given) => {
    const { run, steps } = setUp(given);

    await expect(run()).rejects.toThrow(CardApiError);

    expect(steps).toEqual(before);
  });

  it('is not sent again after a crash where somebody changed the same rule since', async () => {
    const { run, steps } = setUp({ isSuperseded: true });

    await run(sending);

    expect(steps).toEqual(['its end is forgotten if it is not there', 'unknown']);
  });

  it('is not sent where somebody else who works on it came to an end first', async () => {
    const { run, steps } = setUp({ stands: stateOf(done, '2026-11-20T15:00:00.000Z') });

    expect(await run()).toEqual(done);

    expect(steps).toEqual(['progress sending', 'told again']);
  });
});
