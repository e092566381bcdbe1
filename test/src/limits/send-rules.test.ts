import { describe, expect, it } from 'vitest';
import { type ActionState, type Result, reported, stateOf } from '../../../src/actions/action-state.ts';
import { createSendChange } from '../../../src/actions/send-change.ts';
import type { RuleChange, Term } from '../../../src/card-api/rule-change.ts';
import { CardApiError, TooLateError } from '../../../src/core/errors.ts';
import { basisOf, createSendRules, sidesOf } from '../../../src/limits/send-rules.ts';
import { held } from '../../support/held.ts';
import { limitChange } from '../../support/limit-goals.ts';
import { acctId, ask } from '../../support/perform-world.ts';
import { putRulesWith } from '../../support/put-rules.ts';
import { card } from '../../templates/fixtures.ts';

const action = ask('limit');
const raised = [limitChange('daily', 40_000, 45_000)];
const forAnHour = { kind: 'duration', ms: 3_600_000 } as const;
const sending: ActionState = { state: 'sending', before: null, after: null };
const rules = { IsActive: true, DailySpendLimit: 400 };
const done: Result = { state: 'done', card, before: null, after: null, apiWords: null, note: null };

interface Given {
  /** The card service's answer to the write. */
  readonly outcome?: 'unknown' | 'refused';
  readonly retryable?: boolean;
  /** The daily limit in dollars when it is read back. Null: unreadable. */
  readonly readBack?: number | null;
  /** Someone else has changed another rule in the meantime. */
  readonly isChangedElsewhere?: boolean;
  readonly isSuperseded?: boolean;
  /** The state that is already stored when progress is written. */
  readonly stands?: ActionState;
  readonly changes?: readonly RuleChange[];
  readonly term?: Term;
  /** An error in our own code that the write throws. */
  readonly fault?: Error;
}

function setUp(given: Given = {}) {
  const { changes = raised, term = forAnHour, fault } = given;
  const steps: string[] = [];
  const {
    outcome,
    retryable = false,
    readBack = 400,
    isSuperseded = false,
    stands,
    isChangedElsewhere = false,
  } = given;
  const failed = (operation: string): CardApiError =>
    new CardApiError('lost', {
      operation,
      status: retryable ? 503 : 400,
      outcome: outcome ?? 'unknown',
      code: retryable ? 'unavailable' : 'refused',
      apiMessage: 'No.',
    });
  const sendChange = createSendChange({
    activationRefusedHours: 24,
    statusRefusedTexts: [],
    progress: {
      write: async (_id, entry) => {
        steps.push(`progress ${entry.state}`);
        return stands ?? entry;
      },
    },
    latestChanges: {
      async changed() {
        steps.push('noted');
        return {};
      },
      changedBy: async () => [],
      isSuperseded: async () => isSuperseded,
      async notMade() {
        steps.push('overtakes nobody');
        return {};
      },
    },
    record: async (_action, { event }) => void steps.push(`on record: ${event}`),
    now: () => new Date('2026-11-20T15:00:00Z'),
    reports: {
      async resume(_action, verb, state) {
        const known = reported(state);
        if (known !== null) steps.push(`told again as ${verb}`);
        return known?.result ?? null;
      },
    },
  });
  const send = createSendRules({
    sendChange,
    card: {
      getSpendRules: async () => {
        if (readBack === null) throw failed('read');
        const none = { daily: null, weekly: null, monthly: null, yearly: null, lifetime: null };
        const now = {
          limits: { ...none, daily: readBack * 100 },
          categories: [],
          apartCents: 0,
          isEveryCategoryAllowed: true,
          isInternationalAllowed: true,
          isCardNotPresentAllowed: true,
          usesBusinessBalance: null,
        };
        const elsewhere = isChangedElsewhere ? { InternationalSpendEnabled: true } : {};
        return { rules: now, raw: { ...rules, DailySpendLimit: readBack, ...elsewhere } };
      },
    },
    putRules: putRulesWith(
      (raw) => raw,
      async () => {
        steps.push('written');
        if (fault !== undefined) throw fault;
        if (outcome !== undefined) throw failed('write');
      },
    ),
    raises: { forget: async () => void steps.push('counts no more') },
    terms: {
      begin: async () => {
        steps.push('its end starts');
        return null;
      },
      openUnsent: async () => {
        steps.push('its end is known');
        return { note: null, control: null };
      },
      markUnconfirmed: async () => void steps.push('it is marked if it is not there'),
      forget: async () => void steps.push('its end is forgotten'),
    },
  });
  const run = async (written: ActionState | null = null, isLast = false, over = {}): Promise<Partial<Result>> =>
    await send(
      {
        action,
        acctId,
        changes,
        term,
        requestId: null,
        card,
        raw: rules,
        sides: sidesOf(changes),
        readAt: performance.now(),
        written,
        ...over,
      },
      { isLast, lease: held, ...over },
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

describe('a rule change', () => {
  it('is stored, audited and given an end before it is sent to the card service', async () => {
    const { run, steps } = setUp();

    await run();

    expect(steps).toEqual([...before, 'its end starts', 'done sent']);
  });

  it.each<[string, Given, boolean, string[]]>([
    [
      'the answer is lost but the change is there: confirmed',
      { outcome: 'unknown', readBack: 450 },
      false,
      ['its end starts', 'done confirmed'],
    ],
    [
      'it is refused: failed, without an end',
      { outcome: 'refused' },
      false,
      ['overtakes nobody', 'its end is forgotten', 'counts no more', 'failed No.'],
    ],
    [
      'the answer is lost and the rules are unreadable on the last attempt: unconfirmed, and the end stays',
      { outcome: 'unknown', readBack: null },
      true,
      ['unknown No.'],
    ],
    [
      'the answer is lost, the change is not there and someone changed another rule since: not sent again',
      { outcome: 'unknown', retryable: true, isChangedElsewhere: true },
      false,
      ['it is marked if it is not there', 'unknown'],
    ],
    [
      'the answer is lost, the change is there and someone changed another rule since: confirmed',
      { outcome: 'unknown', readBack: 450, isChangedElsewhere: true },
      false,
      ['its end starts', 'done confirmed'],
    ],
  ])('when %s', async (_what, given, isLast, expected) => {
    const { run, steps } = setUp(given);

    await run(null, isLast);

    expect(steps).toEqual([...before, ...expected]);
  });

  it.each<[string, Given, string[]]>([
    [
      'the card service did not accept it, and starts over, so that others may decide otherwise in the meantime',
      { outcome: 'refused', retryable: true },
      ['overtakes nobody', 'its end is forgotten', 'counts no more', 'progress asked'],
    ],
    ['the rules cannot be read back', { outcome: 'unknown', readBack: null }, []],
    ['the answer is lost and the rules are unchanged', { outcome: 'unknown', retryable: true }, []],
  ])('is retried if %s', async (_what, given, expected) => {
    const { run, steps } = setUp(given);

    await expect(run()).rejects.toThrow(CardApiError);

    expect(steps).toEqual([...before, ...expected]);
  });

  it('is not sent by a process that was frozen for longer than its lock', async () => {
    const { run, steps } = setUp();
    const lease = { confirm: async () => Promise.reject(new TooLateError()) };

    await expect(run(null, true, { lease })).rejects.toThrow(TooLateError);

    expect(steps).toEqual(before.slice(0, -1));
  });

  it('starts over if the rules were read too long ago, because nothing was sent', async () => {
    const { run, steps } = setUp();

    await expect(run(null, true, { readAt: performance.now() - 12_000 })).rejects.toThrow(TooLateError);

    const over = ['overtakes nobody', 'its end is forgotten', 'counts no more', 'progress asked'];
    expect(steps).toEqual([...before.slice(0, -1), ...over]);
  });

  it.each<[string, string, string[]]>([
    ['is not sent again if the rules have changed', 'other', ['it is marked if it is not there', 'unknown']],
    ['is sent again if they have not', basisOf(rules), [...before, 'its end starts', 'done sent']],
  ])('after a crash %s', async (_what, basis, expected) => {
    const { run, steps } = setUp();

    await run({ ...sending, basis });

    expect(steps).toEqual(expected);
  });

  it('is not sent again after a crash if someone has changed the same rule', async () => {
    const { run, steps } = setUp({ isSuperseded: true });

    await run(sending);

    expect(steps).toEqual(['it is marked if it is not there', 'unknown']);
  });

  it.each<[string, readonly RuleChange[]]>([
    ['limit', raised],
    ['allow', [{ rule: { kind: 'international' }, from: false, to: true }]],
  ])('is not sent if another worker finished it first: %s', async (verb, changes) => {
    const { run, steps } = setUp({ changes, stands: stateOf(done, '2026-11-20T15:00:00.000Z') });

    expect(await run()).toEqual(done);

    expect(steps).toEqual(['progress sending', `told again as ${verb}`]);
  });

  it('counts no more if another worker has refused it', async () => {
    const { run, steps } = setUp({ stands: { state: 'refused', pending: null } });

    await expect(run()).rejects.toThrow(TooLateError);

    expect(steps).toEqual(['progress sending', 'counts no more']);
  });

  it('has no end if it is permanent', async () => {
    const { run, steps } = setUp({ term: { kind: 'permanent' } });

    await run();

    expect(steps).not.toContain('its end is known');
  });

  it('is not read back if it was refused', async () => {
    const { run, steps } = setUp({ outcome: 'refused', readBack: 450 });

    await run();

    expect(steps).not.toContain('its end starts');
    expect(steps).toContain('failed No.');
  });

  it('does not hide a bug of ours', async () => {
    await expect(setUp({ fault: new TypeError('a bug') }).run(null, true)).rejects.toThrow('a bug');
  });
});
