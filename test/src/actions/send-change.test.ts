import { describe, expect, it } from 'vitest';
import type { ActionState, Result } from '../../../src/actions/action-state.ts';
import { createSendChange, noteOf } from '../../../src/actions/send-change.ts';
import { notSent } from '../../../src/card-api/errors.ts';
import { AppError, CardApiError, TooLateError } from '../../../src/core/errors.ts';
import { refusal } from '../../support/card-api-errors.ts';
import { held } from '../../support/held.ts';
import { acctId, ask } from '../../support/perform-world.ts';
import { card } from '../../templates/fixtures.ts';

const NOW = new Date('2026-11-20T15:00:00Z');

type Steps = Parameters<ReturnType<typeof createSendChange>>[1];

interface Given {
  /** The card service’s response to the write. */
  readonly answer?: CardApiError | TooLateError;
  readonly seen?: Awaited<ReturnType<Steps['checkMade']>>;
  readonly written?: ActionState;
  /** Where the action stands when it is about to be sent, if another worker got there first. */
  readonly stands?: ActionState;
  /** How it ended, if another worker has reported that. */
  readonly resumed?: Result;
  readonly basis?: string | undefined;
  readonly whyNot?: string;
  readonly isLast?: boolean;
  readonly verb?: 'activate';
  readonly refusedHours?: number;
  /** The card's status. Default: of a new card, if it is activated. */
  readonly before?: null;
  /** Receives what explains a refusal. */
  readonly explained?: (note: string | null) => void;
}

/** @param steps collects what was done. */
async function send(given: Given, steps: string[] = []): Promise<string[]> {
  const { answer, seen = 'unmade', written = null, whyNot = null, isLast = true } = given;
  const basis = 'basis' in given ? given.basis : 'now';
  const tell = (what: string) => async (): Promise<Result> => {
    steps.push(what);
    return { state: 'done', card, before: null, after: null, apiWords: null, note: null };
  };
  const sendChange = createSendChange({
    activationRefusedHours: given.refusedHours ?? 24,
    statusRefusedTexts: ['cannot change status'],
    progress: {
      async write(_id, next) {
        steps.push(next.state);
        return given.stands ?? next;
      },
    },
    record: async () => void steps.push('on record'),
    now: () => NOW,
    latestChanges: {
      changedBy: async () => [],
      changed: async () => ({}),
      isSuperseded: async () => false,
      async notMade() {
        steps.push('no longer counts as a change');
        return {};
      },
    },
    reports: { resume: async () => given.resumed ?? null },
  });
  const change = {
    action: ask('block'),
    verb: given.verb ?? 'block',
    acctId,
    cardId: 1,
    expects: { kind: 'status', status: 'BLOCKED', cardId: 1 },
    sides: {
      before: given.before === undefined ? (given.verb === 'activate' ? 'not activated' : 'active') : given.before,
      after: given.verb === 'activate' ? 'active' : 'blocked',
    },
    basis,
    written,
    whyNot,
  } as const;
  await sendChange(
    change,
    {
      prepare: async () => void steps.push('prepared'),
      async write() {
        steps.push('written');
        if (answer !== undefined) throw answer;
      },
      checkMade: async () => seen,
      forget: async () => void steps.push('expected by nobody'),
      forgetRaise: async () => void steps.push('counts no more'),
      made: (confirmation) => tell(confirmation)(),
      stopAsChanged: tell('stopped as changed'),
      fail: (explanation) => {
        given.explained?.(explanation.note);
        return tell('failed')();
      },
      leave: tell('left to the verification'),
    },
    { isLast, lease: held },
  );
  return steps;
}

/** The same for a change that is retried later. */
async function sendOrThrow(given: Given): Promise<string[]> {
  const steps: string[] = [];
  await expect(send(given, steps)).rejects.toThrow(AppError);
  return [...steps, 'thrown'];
}

it('explains the refusal of an activation, which the card service does not', async () => {
  const noteAfter = async (given: Given): Promise<string | null> => {
    const notes: (string | null)[] = [];
    await send({ ...given, explained: (note) => notes.push(note) });
    return notes.at(-1) ?? null;
  };
  const answer = refusal('Cannot change status');
  const why = 'A card may be refused in its first 24 hours: try again later, or use the card program’s portal.';

  expect(await noteAfter({ answer, verb: 'activate' })).toBe(why);
  for (const said of ['Invalid card account ID', 'You do not have permission to activate cards'])
    expect(await noteAfter({ answer: refusal(said), verb: 'activate' }), said).toBeNull();
  expect(await noteAfter({ answer, verb: 'activate', before: null })).toBeNull();
  expect(await noteAfter({ answer: refusal(null), verb: 'activate' })).toBe(
    `The card service refused without giving a reason. ${why}`,
  );
  expect(await noteAfter({ answer, verb: 'activate', refusedHours: 0 })).toBeNull();
  expect(await noteAfter({ answer })).toBeNull();
  expect(await noteAfter({ answer: refusal('Token expired', { code: 'token_dead' }), verb: 'activate' })).not.toContain(
    'first 24 hours',
  );
});

describe('a change of a card', () => {
  const before = ['sending', 'on record', 'prepared', 'written'];

  it('is stored and audited before the card service is called', async () => {
    expect(await send({})).toEqual([...before, 'sent']);
  });

  it('that another worker has ended without sending it counts no more', async () => {
    const result = { state: 'failed', card, before: null, after: null, apiWords: null, note: null } as const;

    expect(await send({ resumed: result })).toEqual(['sending', 'counts no more']);
    expect(await send({ resumed: { ...result, state: 'done' } }), 'it was made').toEqual(['sending']);
  });

  it('is neither sent nor audited if another worker has refused it by now', async () => {
    const steps: string[] = [];

    await expect(send({ stands: { state: 'refused', pending: null } }, steps)).rejects.toThrow(TooLateError);

    expect(steps).toEqual(['sending', 'counts no more']);
  });

  it.each([
    ['the card shows the change', 'made', ['confirmed']],
    ['someone else changed the same setting', 'changed', ['stopped as changed']],
    ['the card cannot be read', 'unread', ['left to the verification']],
    ['the card does not show the change yet', 'unmade', ['left to the verification']],
  ] as const)('whose response is lost is resolved by reading back: %s', async (_what, seen, end) => {
    expect(await send({ answer: refusal(null, { outcome: 'unknown' }), seen })).toEqual([...before, ...end]);
  });

  it('that is refused is not read back', async () => {
    expect(await send({ answer: refusal('No.'), seen: 'made' })).toEqual([
      ...before,
      'no longer counts as a change',
      'expected by nobody',
      'failed',
    ]);
  });

  it('that was certainly not made starts over at the retry: others may have decided otherwise', async () => {
    const answer = refusal(null, { code: 'rate_limited' });

    const steps = await sendOrThrow({ answer, isLast: false });

    expect(steps).toEqual([...before, 'no longer counts as a change', 'expected by nobody', 'asked', 'thrown']);
  });

  it('that was stopped before it was sent starts over, also at the last attempt', async () => {
    const steps = await sendOrThrow({ answer: new TooLateError('too late') });

    expect(steps).toEqual([...before, 'no longer counts as a change', 'expected by nobody', 'asked', 'thrown']);
  });

  it('that is refused after an attempt without an answer may still be made', async () => {
    const written = {
      state: 'sending',
      before: null,
      after: null,
      basis: 'now',
      sentAt: '2026-11-20T14:59:00Z',
    } as const;

    expect(await send({ written, answer: refusal('No.') })).toEqual([...before, 'left to the verification']);
    const limited = refusal(null, { code: 'rate_limited' });
    expect(await sendOrThrow({ written, answer: limited, isLast: false })).toEqual([...before, 'thrown']);
    expect(await sendOrThrow({ written, answer: new TooLateError('too late') })).toEqual([...before, 'thrown']);
  });

  it('is sent again if the card cannot be read: that is no sign of a change', async () => {
    const written = { state: 'sending', before: null, after: null, basis: 'then' } as const;

    expect(await send({ written, basis: undefined })).toEqual([...before, 'sent']);
  });

  it('is not sent again after a crash if the card has changed since', async () => {
    const written = { state: 'sending', before: null, after: null, basis: 'then' } as const;

    expect(await send({ written })).toEqual(['stopped as changed']);
  });

  it.each([
    ['a minute ago', { basis: 'now', sentAt: '2026-11-20T14:59:00Z' }, ['left to the verification']],
    ['by a build that noted no time', { basis: 'now' }, ['left to the verification']],
    [
      'too long ago',
      { basis: 'now', sentAt: '2026-11-20T14:49:00Z' },
      ['no longer counts as a change', 'expected by nobody', 'failed'],
    ],
  ] as const)('that may not be repeated may still be made if it was sent %s', async (_when, of, end) => {
    const written = { state: 'sending', before: null, after: null, ...of } as const;

    expect(await send({ written, whyNot: 'You are no longer an operator.' })).toEqual(end);
  });

  it('that may not be made was not made if nothing was sent before', async () => {
    expect(await send({ whyNot: 'You are no longer an operator.' })).toEqual([
      'no longer counts as a change',
      'expected by nobody',
      'failed',
    ]);
  });

  it('is left to the next attempt, if there is one, when the card cannot be read', async () => {
    await expect(
      send({ answer: refusal(null, { outcome: 'unknown' }), seen: 'unread', isLast: false }),
    ).rejects.toThrow(CardApiError);
  });
});

it('explains a refusal only if the card service gave no reason', () => {
  expect(noteOf(refusal('Card is closed.'))).toBeNull();
  expect(noteOf(refusal(null))).toContain('without giving a reason');
  const unsent = notSent('applyChanges', 'the card has no such spend category');
  expect(noteOf(unsent), 'the card service was not asked').toBe(
    'I did not send it: the card has no such spend category.',
  );
});
