import { expect, it } from 'vitest';
import { z } from 'zod';
import {
  Action,
  actionOf,
  alertIdOf,
  requestIdOf,
  type Target,
  target,
  UnreadableAction,
} from '../../../src/actions/action.ts';
import { acctId, ask } from '../../support/perform-world.ts';

const alertId = 'evt_0123456789abcdef';
const block = ask('block');

it.each<[Target, string | null]>([
  [{ kind: 'alert', alertId }, alertId],
  [{ kind: 'card', acctId, cardId: null, alertId }, alertId],
  [{ kind: 'card', acctId, cardId: null, alertId: null }, null],
  [{ kind: 'words', words: ['1212'] }, null],
  [{ kind: 'action', actionId: 'act_1' }, null],
])('an action on %j shows its outcome on the alert %s', (on, shownOn) => {
  expect(alertIdOf({ target: on })).toBe(shownOn);
});

it('a request is found by the id of the action that asked for it', () => {
  expect(requestIdOf('act_1k')).toBe('req_1k');
});

it('an action of any verb keeps the input of its verb, which only its capability can read', () => {
  const later = { ...block, verb: 'of-another-capability', input: { amount: 5 } };

  expect(Action.parse(later)).toEqual(later);
});

it('an action of one verb has its own target and input, and nothing else', () => {
  const Freeze = actionOf('freeze', target.alert, { days: z.int() });
  const freeze = { ...block, verb: 'freeze', days: 3 };
  const isRead = (over: object): boolean => Freeze.safeParse({ ...freeze, ...over }).success;

  expect(isRead({})).toBe(true);
  expect(isRead({ verb: 'block' })).toBe(false);
  expect(isRead({ days: 'three' })).toBe(false);
  expect(isRead({ target: { kind: 'own' } }), 'freezes no card that was not on an alert').toBe(false);
  expect(isRead({ isApproved: true }), 'a field of nobody may not pass as input').toBe(false);
  expect(isRead({ actor: { userId: 'U0OLGA' } }), 'an actor without a team may be of another company').toBe(false);
});

it('of an action that cannot be read, no role is kept, but who asked and where', () => {
  const newer = { ...block, target: { kind: 'of-a-newer-version' }, roles: ['approver', 'auditor'] };

  expect(Action.safeParse(newer).success).toBe(false);
  expect(UnreadableAction.parse(newer)).toMatchObject({ actor: block.actor, origin: block.origin, roles: [] });
});
