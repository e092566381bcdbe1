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
  /** The verb that someone asked for later and that was performed first. */
  readonly later?: string;
  /** The last event belongs to one of our own actions. */
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
  ['a block gives way to its undo', 'block', { later: 'undo-block' }, /Somebody asked/],
  ['an unblock gives way to a later block', 'unblock', { later: 'block' }, /Somebody asked/],
  [
    'a block gives way to a later unblock outside Slack',
    'block',
    { told: [blocked, told('ACTIVE', now)] },
    /outside Slack/,
  ],
  ['an unblock gives way to a later block outside Slack', 'unblock', { told: [told('BLOCKED', now)] }, /outside Slack/],
])('%s', async (_what, verb, given, expected) => {
  expect(await why(verb, given)).toMatch(expected);
});

it.each<[string, 'block' | 'unblock', Given]>([
  ['no known status events', 'block', {}],
  ['an activation that someone asked for later', 'block', { later: 'activate' }],
  ['another block that someone asked for later', 'block', { later: 'block' }],
  ['an unblock that we sent for an earlier request', 'block', { told: [blocked, told('ACTIVE', now)], isOurs: true }],
  [
    'an unblock reported before the block was requested, although the card service’s clock is ahead',
    'block',
    { told: [blocked, told('ACTIVE', { callbackAt: later })] },
  ],
  [
    'an unblock made before the block was requested, although its webhook arrived late',
    'block',
    { told: [blocked, told('ACTIVE', { receivedAt: later })] },
  ],
  [
    'an activation, because the person who found the card may not be its holder',
    'block',
    { told: [told('INACTIVE'), told('ACTIVE', now)] },
  ],
  ['a block outside Slack, which has the same effect', 'block', { told: [told('ACTIVE'), told('BLOCKED', now)] }],
])('a block still goes ahead with %s', async (_what, verb, given) => {
  expect(await why(verb, given)).toBeNull();
});
