import { describe, expect, it } from 'vitest';
import {
  type ActionState,
  type AwaitedChange,
  awaitedOf,
  isUnanswered,
  lateOf,
  mayFollow,
  type ReportedState,
  type Result,
  stateOf,
  verdictOf,
} from '../../../src/actions/action-state.ts';
import { acctId, ask } from '../../support/perform-world.ts';
import { card } from '../../templates/fixtures.ts';

const at = '2026-11-20T15:00:00.000Z';
const expects = { kind: 'status', status: 'BLOCKED', cardId: null } as const;
const result = (over: Partial<Result>): Result => ({
  state: 'done',
  card,
  before: null,
  after: null,
  apiWords: null,
  note: null,
  ...over,
});
const sentResult = result({ confirmation: 'sent', expects });
const awaited: AwaitedChange = {
  action: ask('block'),
  verb: 'block',
  acctId,
  outcomeOf: 'act_block1',
  result: sentResult,
  sentAt: at,
};

const asked: ActionState = { state: 'asked' };
const sending: ActionState = { state: 'sending', before: null, after: null };
const sent = stateOf(sentResult, at, awaited);
const sentAndTold: ReportedState = { ...sent, isNotified: true };
/** Found already applied by the worker that took over from a stalled one. */
const madeAlready = stateOf(result({ confirmation: 'confirmed' }), at);
const failed = stateOf(result({ state: 'failed' }), at);
const found = (state: 'confirmed' | 'unconfirmed' | 'superseded', isNotified = false): ReportedState => ({
  ...sent,
  state,
  isNotified,
  seen: { by: 'webhook', eventId: 'evt_1' },
});

/** Reported as not shown, and looked at until it can no longer be made. */
const late: ReportedState = { ...found('unconfirmed', true), mayComeLate: true };

describe('an action can go', () => {
  it.each<[string, ActionState | null, ActionState]>([
    ['from nothing to asked', null, asked],
    ['from asked to sending', asked, sending],
    ['from sending to sending again, after a crash', sending, sending],
    ['from sending back to asked, if it was definitely not sent', sending, asked],
    ['from sending to sent', sending, sent],
    ['from asked to a final state, if nothing is sent', asked, failed],
    ['from sent to sent and reported', sent, sentAndTold],
    ['from sent to confirmed', sentAndTold, found('confirmed')],
    ['from sent to unconfirmed, even if nobody was notified in time that it was sent', sent, found('unconfirmed')],
    ['from sent to superseded', sentAndTold, found('superseded')],
    ['from confirmed to confirmed with more details, until it is reported', found('confirmed'), found('confirmed')],
    ['from confirmed to confirmed and reported', found('confirmed'), found('confirmed', true)],
    ['from unconfirmed to confirmed, as long as it may come late', late, found('confirmed')],
    ['from unconfirmed to what stays unconfirmed', late, found('unconfirmed', true)],
  ])('%s', (_what, from, to) => {
    expect(mayFollow(from, to)).toBe(true);
  });
});

describe('an action cannot go', () => {
  it.each<[string, ActionState, ActionState]>([
    ['from sent back to sending', sent, sending],
    ['from sent to the result of a slower worker', sent, failed],
    ['from sent to sent by another worker', sent, sent],
    ['from reported back to not reported', sentAndTold, sent],
    ['from confirmed back to sent', found('confirmed'), sentAndTold],
    ['from confirmed to unconfirmed', found('confirmed'), found('unconfirmed')],
    ['anywhere once it is confirmed and reported', found('confirmed', true), found('confirmed')],
    ['from failed to sending', failed, sending],
    ['from what may come late back to not reported', late, found('unconfirmed')],
    ['from what may come late to anything but what it was', late, found('superseded', true)],
    ['from what may come late to the same again', late, late],
    ['from unconfirmed to confirmed, once it can no longer be made', found('unconfirmed', true), found('confirmed')],
    ['from unconfirmed to what may come late', found('unconfirmed', true), late],
    ['from a verified result to the result of a worker still in progress', found('confirmed'), madeAlready],
    ['there either once the verified result is reported', found('confirmed'), { ...madeAlready, isNotified: true }],
  ])('%s', (_what, from, to) => {
    expect(mayFollow(from, to)).toBe(false);
  });
});

describe('the state of an action after a result', () => {
  it.each<[ReportedState['state'], Partial<Result>]>([
    ['sent', { confirmation: 'sent', expects }],
    ['sent', { state: 'unknown', expects }],
    ['confirmed', { confirmation: 'confirmed' }],
    ['unconfirmed', { state: 'unknown' }],
    ['failed', { state: 'failed' }],
    ['unchanged', { state: 'unchanged' }],
    ['waiting', { state: 'waiting' }],
  ])('is %s for %j', (state, over) => {
    expect(stateOf(result(over), at).state).toBe(state);
  });
});

describe('an awaited change', () => {
  it('is awaited until it is found and reported', () => {
    const states = [asked, sending, sent, sentAndTold, found('confirmed'), found('confirmed', true), failed];

    expect(states.map((state) => awaitedOf(state) !== null)).toEqual([false, false, true, true, true, false, false]);
  });

  it('may come late once it is reported as not shown', () => {
    const states = [sentAndTold, { ...late, isNotified: false }, late, found('unconfirmed', true)];

    expect(states.map((state) => lateOf(state) !== null)).toEqual([false, false, true, false]);
  });

  it('is unanswered until it is shown or can no longer be made', () => {
    const unknown = result({ state: 'unknown' });
    const given = [sentAndTold, late, found('unconfirmed', true), { ...late, awaited: null }, found('confirmed')];
    const states = given.map((state): ReportedState => ({ ...state, result: unknown }));

    expect(states.map(isUnanswered)).toEqual([true, true, false, true, false]);
    expect([sentAndTold, late, asked, sending, null].map(isUnanswered)).toEqual([false, false, false, false, false]);
  });

  it('keeps the evidence that confirmed it', () => {
    expect(verdictOf(sent)).toBeNull();
    expect(verdictOf(found('confirmed'))).toEqual({ confirmation: 'confirmed', by: 'webhook', eventId: 'evt_1' });
  });
});
