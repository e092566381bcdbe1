import { z } from 'zod';
import { actionOf, target } from '../actions/action.ts';
import { aboutChannel, type VerbEntry } from '../actions/verb.ts';
import { channelKinds } from '../holders/preference-store.ts';

/** The words that people type for the warnings of a channel. */
const typed = { expiring: 'expiring-cards', subscriptions: 'failing-subscriptions', balance: 'low-balance' } as const;
const isTyped = (word: string): word is keyof typeof typed => Object.hasOwn(typed, word);

export const WarningsAction = actionOf('warnings', target.channel, {
  kinds: z.array(z.enum(channelKinds)).min(1),
  isOn: z.boolean(),
});
export type WarningsAction = z.infer<typeof WarningsAction>;

const usage = 'warnings on|off [expiring|subscriptions|balance]';

export const warningVerbs = {
  warnings: {
    action: WarningsAction,
    permission: { role: 'approver', ofAllCards: true, doing: 'decide what a channel is warned of' },
    refusedTo: 'change the warnings of a channel',
    alsoCalled: ['warn'],
    command: {
      usage,
      example: 'warnings off balance',
      effect: 'turns warnings in this channel on or off: expiring cards, failing subscriptions, low balance',
      read(words) {
        const [onOff = '', kind, ...more] = words.map((word) => word.toLowerCase());
        const isKnown = (onOff === 'on' || onOff === 'off') && more.length === 0;
        if (!isKnown || (kind !== undefined && !isTyped(kind)))
          return { kind: 'unclear', why: 'Which warnings should this channel get?', usage };
        const kinds = kind === undefined ? [...channelKinds] : [typed[kind]];
        return aboutChannel('warnings', words, { kinds, isOn: onOff === 'on' });
      },
    },
  },
} as const satisfies Record<string, VerbEntry>;
