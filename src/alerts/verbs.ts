import type { z } from 'zod';
import { actionOf, target } from '../actions/action.ts';
import { readCard, type VerbEntry } from '../actions/verb.ts';

export const AcknowledgeAction = actionOf('acknowledge', target.alert, {});
export type AcknowledgeAction = z.infer<typeof AcknowledgeAction>;
/** *It was me*, pressed by the card's holder. */
export const RecognizeAction = actionOf('recognize', target.alert, {});
export type RecognizeAction = z.infer<typeof RecognizeAction>;
export const CloseFraudCaseAction = actionOf('close-fraud-case', target.alert, {});
export type CloseFraudCaseAction = z.infer<typeof CloseFraudCaseAction>;

export const alertVerbs = {
  acknowledge: {
    action: AcknowledgeAction,
    permission: { role: 'operator', doing: 'acknowledge alerts', restricts: 'alerts' },
    refusedTo: 'acknowledge an alert about',
    alsoCalled: ['acknowledge', 'ack'],
  },
  recognize: {
    action: RecognizeAction,
    permission: { role: 'holder', doing: 'confirm a purchase' },
    refusedTo: 'confirm a purchase with',
    isOfCard: true,
  },
  'close-fraud-case': {
    action: CloseFraudCaseAction,
    permission: {
      role: 'operator',
      doing: 'close fraud cases',
      notOwnCard: { why: 'You can’t close the fraud case of your own card: it needs another operator.' },
    },
    refusedTo: 'close the fraud case of',
  },
  track: {
    action: actionOf('track', target.card, {}),
    permission: { role: 'operator', doing: 'see shipments', holderMay: true },
    refusedTo: 'see the shipments of',
    alsoCalled: ['shipping', 'shipment', 'delivery', 'where'],
    isLook: true,
    isOfCard: true,
    command: {
      usage: 'track CARD',
      example: 'track 4242',
      effect: 'shows where a card is: ordered, shipped, activated or still waiting',
      read: readCard('track', 'track CARD', 'Which card do you mean?'),
    },
  },
} as const satisfies Record<string, VerbEntry>;
