import { describe, expect, it } from 'vitest';
import {
  type ActionState,
  type AwaitedChange,
  awaitedOf,
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
const sentAndTold: ReportedState = { ...sent, isTold: true };
/** Found made by whoever took over from a worker that stood still. */
const madeAlready = stateOf(result({ confirmation: 'confirmed' }), at);
const failed = stateOf(result({ state: 'failed' }), at);
const found = (state: 'confirmed' | 'unconfirmed' | 'superseded', isTold = false): ReportedState => ({
  ...sent,
  state,
  isTold,
  seen: { by: 'webhook', eventId: 'evt_1' },
});

describe('an action goes on', () => {
  it.each<[string, ActionState | null, ActionState]>([
    ['from nothing to what was asked', null, asked],
    ['from what was asked to sending', asked, sending],
    ['from sending to sending again, after a crash', sending, sending],
    ['from sending back to asked, when it was certainly not sent', sending, asked],
    ['from sending to sent', sending, sent],
    ['from asked to an end, where nothing is sent', asked, failed],
    ['from sent to sent and told', sent, sentAndTold],
    ['from sent to confirmed', sentAndTold, found('confirmed')],
    ['from sent to unconfirmed, though nobody was told in time that it was sent', sent, found('unconfirmed')],
    ['from sent to superseded', sentAndTold, found('superseded')],
    ['from found to found with more to say of it, until it is told', found('confirmed'), found('confirmed')],
    ['from found to found and told', found('confirmed'), found('confirmed', true)],
  ])('%s', (_what, from, to) => {
    expect(mayFollow(from, to)).toBe(true);
  });
});

describe('an action does not go', () => {
  it.each<[string, ActionState, ActionState]>([
    ['from sent back to sending', sent, sending],
    ['from sent to another end of somebody who took longer', sent, failed],
    ['from sent to what somebody else found to be sent', sent, sent],
    ['from told back to what is to be told', sentAndTold, sent],
    ['from confirmed back to sent', found('confirmed'), sentAndTold],
    ['from confirmed to unconfirmed', found('confirmed'), found('unconfirmed')],
    ['on, once it is confirmed and told', found('confirmed', true), found('confirmed')],
    ['from failed to sending', failed, sending],
    [
      'from what somebody who looked has found to what somebody who still works on it finds',
      found('confirmed'),
      madeAlready,
    ],
    ['there either when that has been told', found('confirmed'), { ...madeAlready, isTold: true }],
  ])('%s', (_what, from, to) => {
    expect(mayFollow(from, to)).toBe(false);
  });
});

describe('the state in which a result leaves an action', () => {
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

describe('a change that somebody looks for', () => {
  it('is awaited until it is found and told', () => {
    const states = [asked, sending, sent, sentAndTold, found('confirmed'), found('confirmed', true), failed];

    expect(states.map((state) => awaitedOf(state) !== null)).toEqual([false, false, true, true, true, false, false]);
  });

  it('keeps what showed it', () => {
    expect(verdictOf(sent)).toBeNull();
    expect(verdictOf(found('confirmed'))).toEqual({ confirmation: 'confirmed', by: 'webhook', eventId: 'evt_1' });
  });
});
