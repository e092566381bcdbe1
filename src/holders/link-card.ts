import { holderWelcome, linkEnded, linkLost, linkResult, linkUnchanged } from '../../templates/holders/link-result.ts';
import type { Action, Resolved } from '../actions/action.ts';
import type { ActionTools, Responses, Rights } from '../actions/action-tools.ts';
import { setSince } from '../actions/record.ts';
import type { CardFacts } from '../core/card-facts.ts';
import type { SettingOrder } from '../core/setting-order.ts';
import type { Person } from '../slack/client.ts';
import { type Link, type Links, linkedHolder } from './link-store.ts';
import type { LinkAction, UnlinkAction } from './verbs.ts';

/** Who holds a card from now on. */
export interface NewHolder extends Pick<Link, 'acctId'> {
  readonly cardId: number | null;
  /** Null: nobody. */
  readonly userId: string | null;
  readonly provedBy: Link['provedBy'];
}

/** Links a card to its holder, or ends its link, in the name of the acting person. Notifies the holders. Idempotent. */
export type SetHolder = ReturnType<typeof createSetHolder>;

interface SetHolderDeps
  extends Pick<ActionTools, 'hasBegun' | 'factsOf' | 'record' | 'notifyDirectly' | 'withLock' | 'now'> {
  readonly links: Pick<Links, 'ofAccount' | 'link' | 'unlink'>;
  readonly settingOrder: SettingOrder;
}

/**
 * Order: the record, the message to the previous holder, the link, the welcome to the new holder. The previous holder
 * is unknown after the link is replaced, so they are notified before.
 *
 * The returned function returns who was linked to the card before (null: nobody), and whether nothing changed. `heldNow`: somebody
 * else has decided since this was asked for, and that stays: who holds the card now; null: nobody.
 */
export function createSetHolder(deps: SetHolderDeps) {
  return async function setHolder(action: Action, holder: NewHolder) {
    const { acctId, cardId, userId, provedBy } = holder;
    return await deps.withLock(`account:${acctId}`, async (lease) => {
      const card = await deps.factsOf(acctId);
      const before = await linkedHolder(acctId, deps.links);
      const isSet = before === userId;
      // An address proves nothing against another person who is linked.
      const isHeldByOther = provedBy === 'email' && !isSet && before !== null;
      const isNewest = !isHeldByOther && (await deps.settingOrder.begin(`link:${acctId}`, action));
      if (isSet && !(await deps.hasBegun(action))) {
        await deps.record(action, { event: 'unchanged', acctId, cardId });
        return { card, before: null, isSame: true };
      }
      if (!isNewest && !isSet) {
        await deps.record(action, { ...setSince, acctId, cardId });
        return { card, before: null, isSame: false, heldNow: before };
      }
      const by = action.actor.userId;
      // After a crash it may be set already; the previous holder is on record.
      if (!isSet) await recordHolder(action, card, before, holder);
      if (!isSet && before !== null) {
        // Otherwise the person links or unlinks the card unasked.
        const isClaim = action.verb === 'decide-claim';
        await deps.notifyDirectly(before, `unlinked-${action.id}`, linkLost({ card, by, heldBy: userId, isClaim }));
      }
      await lease.confirm();
      if (userId === null) await deps.links.unlink(acctId);
      else {
        await deps.links.link({ acctId, userId, provedBy, by, at: deps.now().toISOString() });
        const welcome = holderWelcome({ card, by: by === userId ? null : by });
        await deps.notifyDirectly(userId, `linked-${action.id}`, welcome);
      }
      return { card, before: isSet ? null : before, isSame: false };
    });
  };

  async function recordHolder(action: Action, card: CardFacts, before: string | null, holder: NewHolder) {
    const { acctId, cardId, userId, provedBy } = holder;
    const done = { event: 'done', begins: true, acctId, cardId, before } as const;
    if (userId === null) {
      const whom = before === null ? {} : { whom: { userId: before, to: 'from' } };
      const line = { did: 'unlinked', ...whom, card, before: null };
      return await deps.record(action, { ...done, line });
    }
    const proof = provedBy === 'email' ? 'the email addresses match' : 'confirmed by an approver';
    const replaced =
      before === null ? { outcome: proof } : { outcomeOf: before, outcome: `no longer holds it, ${proof}` };
    const line = { did: 'linked', whom: { userId, to: 'to' }, card, before: null, after: null, ...replaced };
    await deps.record(action, { ...done, after: userId, detail: `proved by ${provedBy}`, line });
  }
}

interface Deps extends Pick<ActionTools, 'person'> {
  readonly rights: Pick<Rights, 'authorize' | 'isOwnCard'>;
  readonly responses: Pick<Responses, 'refuse' | 'answer'>;
  readonly links: Pick<Links, 'ofAccount'>;
  readonly setHolder: SetHolder;
  /** Lets the approvers decide. */
  readonly openClaim: (action: UnlinkAction, acctIds: readonly number[], heldBy: string) => Promise<void>;
}

export function createLinkVerbs({ rights, responses, links, person, setHolder, openClaim }: Deps) {
  return { linkCard, unlinkCard };

  /** An approver links a card to its holder. Nobody does so as a delegate of the new holder, who could only claim it. */
  async function linkCard(resolved: Resolved<LinkAction>): Promise<void> {
    const { action, acctId, cardId } = resolved;
    const userId = action.subject;
    if (!(await isPermitted(resolved, [userId]))) return;
    const why = whyNoHolder(await person(userId));
    if (why !== null) {
      const whoCan = 'Name a member of this workspace.';
      return await responses.refuse(action, { why, whoCan }, { acctId, cardId });
    }
    const linked = await setHolder(action, { acctId, cardId, userId, provedBy: 'approver' });
    await responses.answer(action, linkResult({ ...linked, userId, isOwn: false }));
  }

  /**
   * An approver ends the link of another person's card, but not as a delegate of that person. For their own card, someone
   * else has to confirm it. Also of a card that nobody holds: a link that was asked for before may still wait.
   */
  async function unlinkCard(resolved: Resolved<UnlinkAction>): Promise<void> {
    const { action, acctId, cardId } = resolved;
    const link = await links.ofAccount(acctId);
    if (link !== null && (await rights.isOwnCard(action.actor.userId, acctId)))
      return await openClaim(action, [acctId], link.userId);
    if (!(await isPermitted(resolved, link === null ? [] : [link.userId]))) return;
    const nobody = { acctId, cardId, userId: null, provedBy: 'approver' } as const;
    const { card, isSame, heldNow = null } = await setHolder(action, nobody);
    await responses.answer(action, isSame ? linkUnchanged({ card, heldBy: null }) : linkEnded({ card, heldNow }));
  }

  /** @returns false: the person has been told. */
  async function isPermitted({ action, acctId, cardId }: Resolved, notInPlaceOf: readonly string[]): Promise<boolean> {
    const verdict = await rights.authorize(action, { acctId, notInPlaceOf });
    if (verdict.kind !== 'refused') return true;
    const refused = { why: verdict.why, whoCan: 'It needs another approver.' };
    await responses.refuse(action, refused, { acctId, cardId, isNotPermitted: true });
    return false;
  }
}

/** Why someone cannot be linked to a card, one sentence; null when they can. */
export function whyNoHolder(person: Person | null): string | null {
  if (person === null) return 'Slack does not know this person.';
  if (person.isBot) return 'A bot holds no card.';
  if (person.isDeactivated) return 'This person’s Slack account is deactivated.';
  if (person.isGuest || person.isExternal) return 'Guests and people of other companies cannot be linked to a card.';
  return null;
}
