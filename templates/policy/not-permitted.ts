import type { Verb } from '../../src/actions/action.ts';
import type { Role } from '../../src/policy/permissions.ts';
import type { Message } from '../../src/slack/message.ts';
import { mention } from '../../src/slack/mrkdwn.ts';
import { section, sentence } from '../core/blocks.ts';

const doing: Readonly<Record<Verb, string>> = {
  show: 'see cards',
  activate: 'activate cards',
  block: 'block cards',
  acknowledge: 'acknowledge alerts',
  unblock: 'unblock cards',
  limit: 'change limits',
  decide: 'decide requests',
  link: 'link cards to people',
  unlink: 'unlink cards',
  claim: 'say that they hold a card',
  'decide-claim': 'confirm who holds a card',
  recognize: 'say whether a purchase was theirs',
  'order-virtual': 'order virtual cards',
  'resend-virtual': 'have a virtual card’s details sent again',
  recover: 'have missed events fetched',
  digest: 'set a channel’s digest',
  subscribe: 'decide what a channel gets',
  unsubscribe: 'decide what a channel gets',
  subscriptions: 'see what channels get',
  quiet: 'set quiet hours',
  mute: 'mute cards',
  unmute: 'end mutes',
  mutes: 'see mutes',
  travel: 'file travel notices',
  undo_block: 'undo a block',
  allow: 'change what a card may be used for',
  remedy: 'change limits',
  ask: 'ask for more',
  break_glass: 'break the glass',
  take_back: 'take back temporary changes',
  settle_lease: 'decide about temporary changes',
  choose: 'choose here',
  why: 'see the way of an alert',
  declines: 'see declines',
  track: 'see shipments',
};

const whoWords: Readonly<Record<Role, string>> = {
  approver: 'approvers',
  operator: 'operators and approvers',
  holder: 'the person who holds the card',
};

export interface NotPermitted {
  readonly verb: Verb;
  /** Null: everybody of the own company. */
  readonly role: Role | null;
  readonly isExternal: boolean;
  /** User ids and user group ids. */
  readonly whoMay: readonly string[];
}

/** You may not, and who may. */
export function notPermitted({ verb, role, isExternal, whoMay }: NotPermitted): Message {
  const who = whoMay.slice(0, 20).map((id) => (id.startsWith('S') ? `<!subteam^${id}>` : mention(id)));
  const people =
    role === 'holder' || role === null
      ? ''
      : who.length === 0
        ? 'Nobody is configured for that yet: ask whoever runs Cardbell.'
        : `Ask ${who.join(', ')}.`;
  const why = isExternal
    ? `People of other companies cannot ${doing[verb]}.`
    : `Only ${whoWords[role ?? 'operator']} may ${doing[verb]}.`;

  return {
    text: sentence(`Not done: ${why} Nothing changed.`),
    blocks: [section(`*Not done.* ${why}`, people, 'Nothing changed.')],
  };
}

/** The queue, or Slack's list of user groups, cannot be reached. */
export function unavailable(): Message {
  const why = 'Cardbell cannot take this right now: a part of it is out of reach.';
  // A store that did not answer in time may have it all the same.
  const todo = 'As far as I know nothing changed. Look again in a minute before you repeat it.';
  return {
    text: sentence(`Not done: ${why} ${todo}`),
    blocks: [section(`*Not done.* ${why}`, todo)],
  };
}
