import { expect, it } from 'vitest';
import { createWhyOvertaken } from '../../../src/actions/send-status.ts';
import type { StatusRecord } from '../../../src/core/event.ts';
import { acctId, ask, cardId } from '../../support/perform-world.ts';

const earlier = '2026-11-20T14:00:00.000Z';
const later = '2026-11-20T15:00:01.000Z';
const told = (status: StatusRecord['status'], over: Partial<StatusRecord> = {}): StatusRecord => ({
  eventId: `evt_${status}`,
  status,
  callbackAt: earlier,
  receivedAt: earlier,
  ...over,
});
const now = { callbackAt: later, receivedAt: later };
const blocked = told('BLOCKED');

interface Given {
  readonly told?: readonly StatusRecord[];
  /** The verb that somebody asked for later, which was done first. */
  readonly later?: string;
  /** The last event is of an action of ours. */
  readonly isOurs?: boolean;
}

function why(verb: 'block' | 'unblock', { told: known = [], later: done, isOurs = false }: Given) {
  const whyOvertaken = createWhyOvertaken({
    latestChanges: {
      isOvertaken: async (_acctId, _expects, _action, counts) => done !== undefined && counts?.(done) !== false,
    },
    history: { statuses: async () => known, isExpected: async () => isOurs },
  });
  return whyOvertaken(verb, { action: ask(verb), acctId, cardId });
}

it.each<[string, 'block' | 'unblock', Given, RegExp]>([
  ['a block gives way to a later unblock', 'block', { later: 'unblock' }, /Somebody asked/],
  ['a block gives way where it was undone', 'block', { later: 'undo-block' }, /Somebody asked/],
  ['an unblock gives way to a later block', 'unblock', { later: 'block' }, /Somebody asked/],
  ['a block gives way to a later unblock outside', 'block', { told: [blocked, told('ACTIVE', now)] }, /outside Slack/],
  ['an unblock gives way to a later block outside', 'unblock', { told: [told('BLOCKED', now)] }, /outside Slack/],
])('%s', async (_what, verb, given, expected) => {
  expect(await why(verb, given)).toMatch(expected);
});

it.each<[string, 'block' | 'unblock', Given]>([
  ['what nobody has told of the card', 'block', {}],
  ['an activation that somebody asked for later', 'block', { later: 'activate' }],
  ['another block that somebody asked for later', 'block', { later: 'block' }],
  [
    'an unblock that we sent, because somebody asked for it before',
    'block',
    { told: [blocked, told('ACTIVE', now)], isOurs: true },
  ],
  [
    'an unblock that was told before it was asked for, though the clock of the card service is ahead',
    'block',
    { told: [blocked, told('ACTIVE', { callbackAt: later })] },
  ],
  [
    'an unblock before it was asked for, though its webhook came late',
    'block',
    { told: [blocked, told('ACTIVE', { receivedAt: later })] },
  ],
  [
    'an activation: the person who found the card may not be its holder',
    'block',
    { told: [told('INACTIVE'), told('ACTIVE', now)] },
  ],
  ['a block outside, which says the same', 'block', { told: [told('ACTIVE'), told('BLOCKED', now)] }],
])('no reason to leave a card as it is: %s', async (_what, verb, given) => {
  expect(await why(verb, given)).toBeNull();
});
