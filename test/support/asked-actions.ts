import type { VerbAction } from '../../src/dispatch/verbs.ts';
import { limitGoal } from './limit-goals.ts';
import { openRequestOf } from './limit-requests.ts';
import { ask, byCommand, type Over, type PerformWorld, virtualOrder } from './perform-world.ts';
import { link } from './refused.ts';
import { temporaryChangeOf } from './temporary-changes.ts';

const other = { userId: 'U0OTTO', teamId: 'T1' };
const holder = (world: PerformWorld): Promise<void> => link(world, 'U0OLGA');
const isCard =
  (status: PerformWorld['service']['status']) =>
  async (world: PerformWorld): Promise<void> => {
    world.service.status = status;
  };
const temporary = { goals: [limitGoal('daily', 45_000)], term: { kind: 'duration', ms: 3_600_000 } } as const;
const asHolder: Over = { roles: [], asHolder: true } as Over;
const request = openRequestOf();
const ofRequest = { target: { kind: 'request', requestId: request.id }, actor: other } as const;
const kept = (world: PerformWorld): Promise<void> => world.deps.requests.save(request);

/** The actions of people, and the setup that each needs. */
export const askedActions: [what: string, action: VerbAction, before?: (world: PerformWorld) => Promise<unknown>][] = [
  ['a block', ask('block')],
  ['a holder’s report of fraud', ask('block', { isFraud: true }), holder],
  ['an unblock', ask('unblock', byCommand), isCard('BLOCKED')],
  ['an activation', ask('activate'), isCard('INACTIVE')],
  ['a limit', ask('limit')],
  ['a limit for an hour', ask('limit', { ...byCommand, changeRequest: temporary })],
  ['a request by a holder', ask('ask', { ...byCommand, ...asHolder }), holder],
  ['an approval', ask('decide', { ...ofRequest, approve: true }), kept],
  ['a denial', ask('decide', { ...ofRequest, approve: false }), kept],
  ['an emergency override', ask('emergency-override', ofRequest), kept],
  [
    'a reverted temporary change',
    ask('revert', { target: { kind: 'temporary-change', temporaryChangeId: 'act_1' } }),
    ({ deps }) => deps.temporaryChanges.save(temporaryChangeOf()),
  ],
  ['an order', ask('order-virtual', { ...byCommand, target: virtualOrder })],
  ['a resend', ask('resend-virtual', byCommand)],
  ['a claim', ask('claim', byCommand)],
  ['a link', ask('link', { ...byCommand, subject: 'U0HUGO' })],
  ['the end of a link', ask('unlink', byCommand), (world) => link(world, 'U0HUGO')],
  ['a mute', ask('mute', byCommand)],
  ['an unmute', ask('unmute', byCommand)],
  ['a subscription', ask('subscribe', { target: { kind: 'channel', text: 'declines' } })],
  [
    'warnings switched off',
    ask('warnings', { target: { kind: 'channel', text: '' }, kinds: ['low-balance'], isOn: false }),
  ],
  ['Seen', ask('acknowledge')],
  ['It was me', ask('recognize'), holder],
  ['a look', ask('show', byCommand)],
  ['a refusal', ask('unblock', { ...byCommand, roles: [] })],
];
