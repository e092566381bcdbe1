import { confirmActivation } from '../../templates/actions/confirm-activation.ts';
import type { AccountDetails } from '../card-api/schema-account.ts';
import type { CardFacts } from '../core/card-facts.ts';
import { type Action, alertIdOf, type Resolved } from './action.ts';
import type { Result } from './action-state.ts';
import type { ActionTools, Responses, Rights } from './action-tools.ts';
import { askOthers } from './ask-others.ts';

type Card = AccountDetails['cards'][number];

/** The cards, by id, of which a person has confirmed that they are closed for good. */
export interface ConfirmedClosing {
  readonly closes?: readonly number[] | undefined;
  /** Of these, those that the person saw as active. */
  readonly closesActive?: readonly number[] | undefined;
}

/** A card that becomes active. */
interface Activation {
  readonly card: CardFacts;
  /** The other cards of the account that this closes for good. */
  readonly ending: readonly Card[];
  /** Those of which the person has confirmed it. */
  readonly confirmed: ConfirmedClosing;
}

/** Ends a change that an earlier attempt may have sent, without sending it again. @param whyNot one sentence. */
type NotAgain = (whyNot: string) => Promise<Result>;

/**
 * Asks the policy immediately before calling the card service. Someone without permission gets a refusal. If the action
 * waited too long, or would close cards for good, the person is asked. Not for a block, which is never delayed.
 *
 * @param notAgain how to end an action of which something was sent before; null: nothing was sent.
 * @returns false: it must not be sent, and the person has been told.
 */
export type PermitStatus = (resolved: Resolved, activation: Activation, notAgain: NotAgain | null) => Promise<boolean>;

interface Deps extends Pick<ActionTools, 'factsOf' | 'putChoice'> {
  readonly rights: Pick<Rights, 'authorize' | 'isOwnCard' | 'whoMay'>;
  readonly responses: Pick<Responses, 'askAgain' | 'refuse' | 'answer'>;
}

/** Nobody unblocks their own card, nor has it closed and replaced. */
const ownBlock = {
  kind: 'refused',
  why: 'You can’t end the block of your own card: somebody else has to activate the new one.',
  who: 'operator',
} as const;

const closesMore =
  'By now it would close another card that you have not seen, so I did not send it again. Look at the account.';
const closesOneInUse = 'A card that it would close is active by now, so I did not send it again. Look at the account.';

export function createPermitStatus({ rights, responses, factsOf, putChoice }: Deps): PermitStatus {
  return async function permitStatus(resolved, activation, notAgain) {
    const { action, acctId } = resolved;
    const { ending, confirmed } = activation;
    const endsBlock = ending.some(({ status }) => status === 'BLOCKED');
    const isOwnBlock = endsBlock && (await rights.isOwnCard(action.actor.userId, acctId, true));
    const decision = isOwnBlock ? ownBlock : await rights.authorize(action, { acctId });
    if (decision.kind === 'late' || decision.kind === 'refused') {
      const why = decision.kind === 'late' ? 'It waited longer than 10 minutes.' : decision.why;
      if (notAgain !== null) await notAgain(`I did not send it again: ${why}`);
      else if (decision.kind === 'late') await responses.askAgain(action, { acctId });
      else {
        const whoCan = await askOthers(action, decision.who, (await factsOf(acctId)).group, { rights });
        await responses.refuse(action, { why, whoCan }, { acctId, isNotPermitted: true });
      }
      return false;
    }
    const isConfirmed = ({ cardId }: Card) => confirmed.closes?.includes(cardId) === true;
    // The end of a blocked card is not that of one which people pay with.
    const isSeen = ({ cardId, status }: Card) =>
      status !== 'ACTIVE' || confirmed.closesActive?.includes(cardId) === true;
    if (ending.every((other) => isConfirmed(other) && isSeen(other))) return true;
    const whyNot = ending.every(isConfirmed) ? closesOneInUse : closesMore;
    await (notAgain === null ? confirmFirst(resolved, activation) : notAgain(whyNot));
    return false;
  };

  /** Other cards of the account would be closed for good: asks the person to confirm. */
  async function confirmFirst({ action, acctId, cardId }: Resolved, { card, ending }: Activation): Promise<void> {
    const target = { kind: 'card', acctId, cardId, alertId: alertIdOf(action) } as const;
    const closes = ending.map((other) => other.cardId);
    const closesActive = ending.filter(({ status }) => status === 'ACTIVE').map((other) => other.cardId);
    const confirmed: Action & ConfirmedClosing = { ...action, closes, closesActive, target };
    const value = await putChoice(confirmed, action.id);
    const others = [];
    for (const other of ending) others.push({ card: await factsOf(acctId, other), status: other.status ?? '' });
    await responses.answer(action, confirmActivation({ value, card, ending: others }));
  }
}
