import type { z } from 'zod';
import { actionOf, target } from '../actions/action.ts';
import { aboutCard, type ReadCommand, type UnclearCommand, type VerbEntry } from '../actions/verb.ts';

export const OrderVirtualAction = actionOf('order-virtual', target.order, {});
export type OrderVirtualAction = z.infer<typeof OrderVirtualAction>;

export const virtualCardVerbs = {
  'resend-virtual': {
    action: actionOf('resend-virtual', target.card, {}),
    permission: { role: 'operator', doing: 'have a virtual card’s details sent again' },
    refusedTo: 'resend the details of',
    alsoCalled: ['resend'],
    isOfCard: true,
    command: {
      usage: 'virtual resend CARD',
      example: 'virtual resend Jane Doe',
      effect: 'has a virtual card’s details sent to your webhook address again, never to Slack',
      read: readVirtual,
    },
  },
  'order-virtual': {
    action: OrderVirtualAction,
    permission: {
      role: 'approver',
      ofAllCards: true,
      doing: 'order virtual cards',
      needsOthers: 'much',
      loosens: true,
    },
    refusedTo: 'order a virtual card',
    alsoCalled: ['order', 'new', 'create', 'issue'],
    command: {
      usage: 'virtual order [NAME]',
      example: 'virtual order Jane Doe',
      isPersonal: true,
      effect: 'opens a form to order a virtual card; you hear the result, never the number',
    },
  },
} as const satisfies Record<string, VerbEntry>;

/** Parses `order Jane Doe` and `resend 4242`. An order opens a form with the name filled in. */
function readVirtual([verb = '', ...words]: readonly string[]): ReadCommand | UnclearCommand {
  const { usage } = virtualCardVerbs['resend-virtual'].command;
  const unclear = (why: string, wanted: string): UnclearCommand => ({ kind: 'unclear', why, usage: wanted });
  if (verb.toLowerCase() === 'order') {
    const on = { kind: 'order', sealed: '' } as const;
    return { kind: 'read', verb: 'order-virtual', target: on, reason: '', input: { name: words.join(' ') } };
  }
  if (verb.toLowerCase() !== 'resend')
    return unclear('Should I order a virtual card, or have one sent again?', `virtual order [NAME] | ${usage}`);
  if (words.length === 0) return unclear('Which card’s details should be sent again?', usage);
  return aboutCard('resend-virtual', words);
}
