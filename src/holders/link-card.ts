import { holderWelcome, linkEnded, linkResult } from '../../templates/holders/link-result.ts';
import type { Action, Resolved } from '../actions/action.ts';
import type { ActionTools } from '../actions/action-tools.ts';
import type { CardFacts } from '../core/card-facts.ts';
import type { Person } from '../slack/client.ts';
import type { Link, Links } from './link-store.ts';
import type { LinkAction } from './verbs.ts';

/** Who holds a card from now on, and how that was proved. */
export interface NewLink {
  readonly acctId: number;
  readonly cardId: number | null;
  readonly userId: string;
  readonly provedBy: Link['provedBy'];
}

export interface LinkSet {
  readonly card: CardFacts;
  /** Slack user who was linked to the card before; null: nobody. */
  readonly before: string | null;
  /** Nothing changed. */
  readonly isSame: boolean;
}

/** Links a card to its holder on behalf of whoever acts, and notifies the holder. Safe to repeat. */
export type SetLink = (action: Action, link: NewLink) => Promise<LinkSet>;

interface SetLinkDeps
  extends Pick<ActionTools, 'hasBegun' | 'factsOf' | 'record' | 'notifyDirectly' | 'withLock' | 'now'> {
  readonly links: Pick<Links, 'ofAccount' | 'link'>;
}

/** First the record, then the link itself, then the new holder is welcomed. */
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
      const by = action.actor.userId;
      // After a crash the link may exist already, and whom it replaced is on record.
      if (before !== userId) await recordLink(action, card, before, { cardId, ...proved });
      await deps.links.link({ acctId, userId, provedBy, by, at: deps.now().toISOString() });
      const welcome = holderWelcome({ card, by: by === userId ? null : by });
      await deps.notifyDirectly(userId, `linked-${action.id}`, welcome);
      return { card, before: before === userId ? null : before, isSame: false };
    });
  };

  async function recordLink(action: Action, card: CardFacts, before: string | null, link: NewLink): Promise<void> {
    const { acctId, cardId, userId, provedBy } = link;
    const outcome = provedBy === 'email' ? 'the e-mail addresses match' : 'confirmed by an approver';
    const line = { did: 'linked', whom: { userId, to: 'to' }, card, before: null, after: null, outcome };
    const detail = `proved by ${provedBy}`;
    await deps.record(action, { event: 'done', isFirst: true, acctId, cardId, before, after: userId, detail, line });
  }
}

interface LinkCardDeps extends Pick<ActionTools, 'refuse' | 'answer'> {
  /** What Slack knows of somebody; null: nothing. */
  readonly person: (userId: string) => Promise<Person | null>;
  readonly setLink: SetLink;
}

/** An approver links a card to its holder. */
export function createLinkCard({ person, setLink, refuse, answer }: LinkCardDeps) {
  return async function linkCard({ action, acctId, cardId }: Resolved<LinkAction>): Promise<void> {
    const userId = action.subject;
    const why = whyNoHolder(await person(userId));
    if (why !== null) {
      const whoCan = 'Name a member of this workspace.';
      return await refuse(action, { what: 'Your link', why, whoCan }, { acctId, cardId });
    }
    const linked = await setLink(action, { acctId, cardId, userId, provedBy: 'approver' });
    await answer(action, linkResult({ ...linked, userId }));
  };
}

/** Why somebody cannot be linked to a card, one sentence; null when they can. */
export function whyNoHolder(person: Person | null): string | null {
  if (person === null) return 'Slack does not know this person.';
  if (person.isBot) return 'A bot holds no card.';
  if (person.isDeactivated) return 'This person’s Slack account is deactivated.';
  if (person.isGuest || person.isExternal) return 'Guests and people of other companies cannot be linked to a card.';
  return null;
}

interface UnlinkCardDeps
  extends Pick<ActionTools, 'hasBegun' | 'factsOf' | 'record' | 'refuse' | 'answer' | 'withLock'> {
  readonly links: Pick<Links, 'ofAccount' | 'unlink'>;
}

/** An approver, or the holder, ends the link of a card. */
export function createUnlinkCard(deps: UnlinkCardDeps) {
  return async function unlinkCard({ action, acctId, cardId }: Resolved): Promise<void> {
    await deps.withLock(`account:${acctId}`, async () => {
      const before = (await deps.links.ofAccount(acctId))?.userId ?? null;
      const hasBegun = await deps.hasBegun(action);
      if (before === null && !hasBegun) {
        const whoCan = 'Link it with `/card link`, if it should be.';
        const refusal = { what: 'Your unlink', why: 'Nobody is linked to this card.', whoCan };
        return await deps.refuse(action, refusal, { acctId, cardId });
      }
      const card = await deps.factsOf(acctId);
      if (before !== null) {
        const line = { did: 'unlinked', whom: { userId: before, to: 'from' }, card, before: null };
        await deps.record(action, { event: 'done', isFirst: true, acctId, cardId, before, line });
        await deps.links.unlink(acctId);
      }
      await deps.answer(action, linkEnded(card));
    });
  };
}
