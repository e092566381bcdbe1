import { describe, expect, it } from 'vitest';
import { entryOf, isAsHolder, isPermitted, permissionOf, type Verb, verbNames } from '../../../src/dispatch/verbs.ts';
import type { Role } from '../../../src/policy/decide-action.ts';
import { clock } from '../../support/clock.ts';

/** Verbs that are typed for a channel or a time, and so for no card. */
const onNoCard = verbNames.filter((verb) => {
  const { command } = entryOf(verb);
  const read = command?.read?.(command.example.split(' ').slice(1), clock);
  return read?.kind === 'read' && (read.target.kind === 'channel' || read.target.kind === 'since');
});

describe('role and verb', () => {
  // Withdrawing is for the person who asked; that is checked when the action runs.
  const mayAll = new Set(['claim', 'choose', 'look', 'ask-permission', 'notify', 'withdraw', 'end-delegation']);
  const mayOperators = new Set([
    ...mayAll,
    'show',
    'activate',
    'block',
    'block-all',
    'acknowledge',
    'mute',
    'unmute',
    'mutes',
    'travel',
    'resend-virtual',
    'undo-block',
    'close-fraud-case',
    'emergency-override',
    'revert',
    'why',
    'declines',
    'track',
  ]);
  const mayHolders = new Set([...mayAll, 'show', 'block', 'unlink', 'declines', 'track', 'recognize', 'ask']);
  const onlyHolders = new Set(['recognize', 'ask']);
  const cases = verbNames.flatMap((verb) => [
    [verb, [] as Role[], mayAll.has(verb)] as const,
    [verb, ['operator'] as Role[], mayOperators.has(verb)] as const,
    [verb, ['approver'] as Role[], !onlyHolders.has(verb)] as const,
    [verb, ['operator', 'approver'] as Role[], !onlyHolders.has(verb)] as const,
    [verb, ['holder'] as Role[], mayHolders.has(verb)] as const,
    [verb, ['holder', 'approver'] as Role[], true] as const,
  ]);

  it.each(cases)('%s by %j: %s', (verb, roles, may) => {
    expect(isPermitted(verb, roles)).toBe(may);
  });

  it('those that concern all cards, or a card in no group yet, need the role for all cards', () => {
    expect(verbNames.filter((verb) => permissionOf(verb).ofAllCards === true).toSorted()).toEqual([
      'alerts',
      'digest',
      'order-virtual',
      'quiet',
      'recover',
      'subscribe',
      'unsubscribe',
      'warnings',
    ]);
    // They only list, leave out other cards, or concern only the person.
    const others = new Set(['mutes', 'subscriptions', 'why', 'delegate']);
    const ofNoCard = onNoCard.filter((verb) => permissionOf(verb).role !== null && !others.has(verb));
    expect(ofNoCard.filter((verb) => permissionOf(verb).ofAllCards !== true)).toEqual([]);
  });

  it.each<[Verb, Role[], boolean]>([
    ['block', ['holder'], true],
    ['block', ['holder', 'operator'], false],
    ['unlink', ['holder', 'operator'], true],
    ['unlink', ['holder', 'approver'], false],
    ['recognize', ['holder', 'approver'], true],
    ['unblock', ['holder'], false],
    ['claim', ['holder'], false],
  ])("%s by %j is for one's own card only: %s", (verb, roles, isOwn) => {
    expect(isAsHolder(verb, roles)).toBe(isOwn);
  });
});
