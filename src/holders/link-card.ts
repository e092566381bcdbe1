import { holderWelcome, linkEnded, linkLost, linkResult, linkUnchanged } from '../../templates/holders/link-result.ts';
import type { Action, Resolved } from '../actions/action.ts';
import type { ActionTools } from '../actions/action-tools.ts';
import { setSince } from '../actions/record.ts';
import type { CardFacts } from '../core/card-facts.ts';
import { commandCode } from '../core/installation.ts';
import type { BeginSetting } from '../core/setting-order.ts';
import type { Person } from '../slack/client.ts';
import type { Link, Links } from './link-store.ts';
import type { LinkAction, UnlinkAction } from './verbs.ts';

/** A card's new holder, and how that was proved. */
export interface NewLink extends Pick<Link, 'acctId' | 'userId' | 'provedBy'> {
  readonly cardId: number | null;
}

export interface LinkSet {
  readonly card: CardFacts;
  /** Slack user who was linked to the card before; null: nobody. */
  readonly before: string | null;
  /** Nothing changed. */
  readonly isSame: boolean;
  /** Others have changed it since this action did: who holds the card now; null: nobody. */
  readonly heldNow?: string | null;
}

/** Links a card to its holder in the name of the acting person, and notifies the holder. Idempotent. */
export type SetLink = (action: Action, link: NewLink) => Promise<LinkSet>;

interface SetLinkDeps
  extends Pick<ActionTools, 'hasBegun' | 'factsOf' | 'record' | 'notifyDirectly' | 'withLock' | 'now'> {
  readonly links: Pick<Links, 'ofAccount' | 'link'>;
  readonly beginSetting: BeginSetting;
}

/**
 * Order: the record, the message to the previous holder, the link, the welcome to the new holder. The previous holder
 * is unknown after the link is replaced, so they are notified before.
 */
export function createSetLink(deps: SetLinkDeps): SetLink {
  return async function setLink(action, { cardId, ...proved }) {
    const { acctId, userId, provedBy } = proved;
    return await deps.withLock(`account:${acctId}`, async () => {
      const card = await deps.factsOf(acctId);
      const before = (await deps.links.ofAccount(acctId))?.userId ?? null;
      const hasBegun = await deps.hasBegun(action);
      if (before === userId && !hasBegun) {
        await deps.record(action, { event: 'unchanged', acctId, cardId });
        return { card, before: null, isSame: true };
      }
      // After a crash somebody may have linked the card to another person since. That stays.
      if (!(await deps.beginSetting(action, settingOf(acctId)))) {
        await deps.record(action, { ...setSince, acctId, cardId });
        return { card, before: null, isSame: false, heldNow: before };
      }
      const by = action.actor.userId;
      // After a crash the link may exist already; the previous holder is on record.
      if (before !== userId) await recordLink(action, card, before, { cardId, ...proved });
      if (before !== null && before !== userId)
        await deps.notifyDirectly(
          before,
          `unlinked-${action.id}`,
          linkLost({ card, by, heldBy: userId, isClaim: isClaim(action) }),
        );
      await deps.links.link({ acctId, userId, provedBy, by, at: deps.now().toISOString() });
      const welcome = holderWelcome({ card, by: by === userId ? null : by });
      await deps.notifyDirectly(userId, `linked-${action.id}`, welcome);
      return { card, before: before === userId ? null : before, isSame: false };
    });
  };

  async function recordLink(action: Action, card: CardFacts, before: string | null, link: NewLink): Promise<void> {
    const { acctId, cardId, userId, provedBy } = link;
    const proof = provedBy === 'email' ? 'the email addresses match' : 'confirmed by an approver';
    const replaced =
      before === null ? { outcome: proof } : { outcomeOf: before, outcome: `no longer holds it, ${proof}` };
    const line = { did: 'linked', whom: { userId, to: 'to' }, card, before: null, after: null, ...replaced };
    const detail = `proved by ${provedBy}`;
    await deps.record(action, { event: 'done', isFirst: true, acctId, cardId, before, after: userId, detail, line });
  }
}

/** The action decides what somebody claimed. Otherwise the person links or unlinks the card unasked. */
const isClaim = ({ verb }: Action): boolean => verb === 'decide-claim';

const settingOf = (acctId: number): string => `link:${acctId}`;

const byAnother = 'It needs another approver.';

interface LinkCardDeps extends Pick<ActionTools, 'authorize' | 'refuse' | 'answer' | 'person'> {
  readonly setLink: SetLink;
}

/** An approver links a card to its holder. Nobody does so as a delegate of the new holder, who could only claim it. */
export function createLinkCard({ authorize, person, setLink, refuse, answer }: LinkCardDeps) {
  return async function linkCard({ action, acctId, cardId }: Resolved<LinkAction>): Promise<void> {
    const userId = action.subject;
    const verdict = await authorize(action, { acctId, notInPlaceOf: [userId] });
    if (verdict.kind === 'refused')
      return await refuse(action, { why: verdict.why, whoCan: byAnother }, { acctId, cardId, isByRights: true });
    const why = whyNoHolder(await person(userId));
    if (why !== null) {
      const whoCan = 'Name a member of this workspace.';
      return await refuse(action, { why, whoCan }, { acctId, cardId });
    }
    const linked = await setLink(action, { acctId, cardId, userId, provedBy: 'approver' });
    await answer(action, linkResult({ ...linked, userId, isOwn: false }));
  };
}

/** Why someone cannot be linked to a card, one sentence; null when they can. */
export function whyNoHolder(person: Person | null): string | null {
  if (person === null) return 'Slack does not know this person.';
  if (person.isBot) return 'A bot holds no card.';
  if (person.isDeactivated) return 'This person’s Slack account is deactivated.';
  if (person.isGuest || person.isExternal) return 'Guests and people of other companies cannot be linked to a card.';
  return null;
}

interface LinkEnded {
  readonly card: CardFacts;
  /** Who was linked to the card since this action ended its link; null: nobody. */
  readonly heldNow: string | null;
  /** Nothing changed: somebody else had ended it before. */
  readonly isSame: boolean;
}

/** Ends a card's link in the name of the acting person, and notifies its holder. Idempotent. */
export type EndLink = (action: Action, of: Pick<NewLink, 'acctId' | 'cardId'>) => Promise<LinkEnded>;

interface EndLinkDeps extends Pick<ActionTools, 'hasBegun' | 'factsOf' | 'record' | 'notifyDirectly' | 'withLock'> {
  readonly links: Pick<Links, 'ofAccount' | 'unlink'>;
  readonly beginSetting: BeginSetting;
}

export function createEndLink(deps: EndLinkDeps): EndLink {
  return async function endLink(action, { acctId, cardId }) {
    return await deps.withLock(`account:${acctId}`, async () => {
      const card = await deps.factsOf(acctId);
      const before = (await deps.links.ofAccount(acctId))?.userId ?? null;
      if (before === null) {
        // A rerun after a crash may have ended it itself.
        const isSame = !(await deps.hasBegun(action));
        if (isSame) await deps.record(action, { event: 'unchanged', acctId, cardId });
        return { card, heldNow: null, isSame };
      }
      if (!(await deps.beginSetting(action, settingOf(acctId)))) {
        await deps.record(action, { ...setSince, acctId, cardId });
        return { card, heldNow: before, isSame: false };
      }
      const line = { did: 'unlinked', whom: { userId: before, to: 'from' }, card, before: null };
      await deps.record(action, { event: 'done', isFirst: true, acctId, cardId, before, line });
      await deps.notifyDirectly(
        before,
        `unlinked-${action.id}`,
        linkLost({ card, by: action.actor.userId, heldBy: null, isClaim: isClaim(action) }),
      );
      await deps.links.unlink(acctId);
      return { card, heldNow: null, isSame: false };
    });
  };
}

interface UnlinkCardDeps extends Pick<ActionTools, 'authorize' | 'hasBegun' | 'refuse' | 'answer' | 'isOwnCard'> {
  readonly links: Pick<Links, 'ofAccount'>;
  readonly endLink: EndLink;
  /** Lets the approvers decide. */
  readonly openClaim: (action: UnlinkAction, acctIds: readonly number[]) => Promise<void>;
}

/**
 * An approver ends the link of another person's card, but not as a delegate of that person. For their own card, someone
 * else has to confirm it.
 */
export function createUnlinkCard(deps: UnlinkCardDeps) {
  return async function unlinkCard({ action, acctId, cardId }: Resolved<UnlinkAction>): Promise<void> {
    const link = await deps.links.ofAccount(acctId);
    if (link === null && !(await deps.hasBegun(action))) {
      const whoCan = `Link it with ${commandCode('link')}, if it should be.`;
      const refusal = { why: 'Nobody is linked to this card.', whoCan };
      return await deps.refuse(action, refusal, { acctId, cardId });
    }
    if (link !== null && (await deps.isOwnCard(action.actor.userId, acctId)))
      return await deps.openClaim(action, [acctId]);
    const verdict = await deps.authorize(action, { acctId, notInPlaceOf: link === null ? [] : [link.userId] });
    if (verdict.kind === 'refused')
      return await deps.refuse(action, { why: verdict.why, whoCan: byAnother }, { acctId, cardId, isByRights: true });
    const ended = await deps.endLink(action, { acctId, cardId });
    await deps.answer(action, ended.isSame ? linkUnchanged({ card: ended.card, heldBy: null }) : linkEnded(ended));
  };
}
