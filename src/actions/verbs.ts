import { z } from 'zod';
import { formatDuration } from '../core/duration.ts';
import { UNDO_MS } from '../policy/decide-action.ts';
import { actionOf, target } from './action.ts';
import { readCard, type VerbEntry } from './verb.ts';

export const BlockAction = actionOf('block', target.card, {
  /** "It wasn't me" from the cardholder: also opens a fraud case. */
  isFraud: z.literal(true).optional(),
  /** The id of the *Block all* of which it is a part. The request of that shows what became of this. */
  partOf: z.string().optional(),
});
export type BlockAction = z.infer<typeof BlockAction>;
/** Blocks many cards of a card-testing warning at once. Needs another person's approval. */
export const BlockAllAction = actionOf('block-all', target.alert, {
  /** The accounts of the cards that were not yet blocked. */
  acctIds: z.array(z.int()).min(1),
  /** The names of the cards as the request shows them. */
  names: z.array(z.string()),
  /** The last four digits in these names, if known: the account may have another card once it is approved. */
  last4s: z.array(z.string().nullable()).optional(),
});
export type BlockAllAction = z.infer<typeof BlockAllAction>;
const UnblockAction = actionOf('unblock', target.card, {});
const ActivateAction = actionOf('activate', target.card, {
  /** Other cards of the account, by id, of which the person has confirmed that they are closed for good. */
  closes: z.array(z.int()).readonly().optional(),
  /** Of these, those that the person saw as active. */
  closesActive: z.array(z.int()).readonly().optional(),
});
/** `one minute` */
const undoWords = formatDuration(UNDO_MS).replace(/^1 /, 'one ');
export const undoTooLate = `A block can be undone for ${undoWords} only.`;
export const UndoBlockAction = actionOf('undo-block', target.action, {});
export type UndoBlockAction = z.infer<typeof UndoBlockAction>;

export const statusVerbs = {
  activate: {
    action: ActivateAction,
    permission: { role: 'operator', doing: 'activate cards', loosens: true },
    refusedTo: 'activate',
    alsoCalled: ['enable', 'start'],
    isOfCard: true,
    command: {
      usage: 'activate CARD',
      example: 'activate Jane Doe',
      effect: 'activates a new card; asks first if that closes other cards of the account',
      read: readCard('activate', 'activate CARD', 'Which card should I activate?'),
    },
  },
  block: {
    action: BlockAction,
    // A stolen card must not wait, so its holder may block it too.
    permission: { role: 'operator', doing: 'block cards', holderMay: true, restricts: 'card' },
    refusedTo: 'block',
    alsoCalled: [
      'freeze',
      'lock',
      'suspend',
      'pause',
      'disable',
      'deactivate',
      'cancel',
      'close',
      'stop',
      'hold',
      'kill',
      'lost',
      'stolen',
      'fraud',
      'report',
    ],
    isOfCard: true,
    command: {
      usage: 'block CARD [reason]',
      example: 'block 4242 lost on the train',
      effect: 'declines everything until the card is unblocked',
      read: readCard('block', 'block CARD [reason]', 'Which card should I block?'),
    },
  },
  'block-all': {
    action: BlockAllAction,
    permission: { role: 'operator', doing: 'block cards' },
    refusedTo: 'block all cards declined together with',
  },
  unblock: {
    action: UnblockAction,
    permission: {
      role: 'approver',
      doing: 'unblock cards',
      loosens: true,
      notOwnCard: { why: 'You can’t unblock your own card: it needs another approver.' },
    },
    refusedTo: 'unblock',
    alsoCalled: ['unfreeze', 'unlock', 'unsuspend', 'reactivate', 'reopen', 'resume', 'release'],
    isOfCard: true,
    command: {
      usage: 'unblock CARD [reason]',
      example: 'unblock 4242 found again',
      effect: 'makes a blocked card work again',
      read: readCard('unblock', 'unblock CARD [reason]', 'Which card should I unblock?'),
    },
  },
  'undo-block': {
    action: UndoBlockAction,
    permission: {
      role: 'operator',
      doing: 'undo a block',
      loosens: true,
      onlyOwnAction: { why: 'Only the person who blocked it can undo this.' },
      within: { ms: UNDO_MS, why: undoTooLate },
    },
    refusedTo: 'undo the block of',
    alsoCalled: ['undo'],
  },
} as const satisfies Record<string, VerbEntry>;
