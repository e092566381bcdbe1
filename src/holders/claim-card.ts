import { claimWaits, confirmOwnCard } from '../../templates/holders/claim-answers.ts';
import { type ClaimFacts, claimRequest } from '../../templates/holders/claim-request.ts';
import { linkResult } from '../../templates/holders/link-result.ts';
import type { Action } from '../actions/action.ts';
import type { ActionTools, Responses } from '../actions/action-tools.ts';
import { commandCode } from '../core/installation.ts';
import { type DirectoryAccount, toCardFacts } from '../directory/account.ts';
import { interpret, nameWords } from '../directory/card-query.ts';
import type { Directory } from '../directory/directory.ts';
import { notReadYet, typedOnRecord } from '../directory/unknown-card.ts';
import type { Message } from '../slack/message.ts';
import { type Claim, type ClaimedCard, type Claims, claimValue, isLinkedSince } from './claim-store.ts';
import { type SetHolder, whyNoHolder } from './link-card.ts';
import { currentEmail, isSameEmail, type Links, linkedHolder } from './link-store.ts';
import type { ClaimAction } from './verbs.ts';

/** An undecided claim expires. Silence never confirms it. */
const CLAIM_MS = 24 * 3_600_000;
const CLAIMS_A_DAY = 5;
/** Whoever has more cards under their email address has to say which one they mean. */
const OWN_MAX = 5;

interface Deps extends Pick<ActionTools, 'record' | 'person' | 'putChoice'> {
  readonly responses: Pick<Responses, 'refuse' | 'answer'>;
  readonly directory: Pick<Directory, 'find' | 'findByEmail' | 'current'>;
  readonly links: Pick<Links, 'ofAccount'>;
  readonly setHolder: SetHolder;
  readonly openClaim: ReturnType<typeof createOpenClaim>;
}

/**
 * "I hold this card": proved by an email address that Slack and the card program agree on and a press of the button.
 * Otherwise an approver decides. The answer never reveals whose card it is.
 *
 * @throws SlackError when the Slack profile could not be read and a retry may help.
 * @throws RolesUnreadError when the card service did not return whose card it is. A retry may help.
 */
export function createClaimCard(deps: Deps): (action: ClaimAction) => Promise<void> {
  const { answer, refuse } = deps.responses;
  return async function claimCard(action) {
    const { userId } = action.actor;
    const person = await deps.person(userId);
    const why = whyNoHolder(person);
    if (why !== null)
      return await refuse(action, { why, whoCan: 'Ask an approver.' }, { isNotPermitted: person !== null });
    const meant = await accountsMeant(action, deps);
    const matching = person?.email == null ? [] : await accountsWith(person.email, meant, deps);
    const own = matching.filter(({ heldBy }) => heldBy === userId);
    // If another person is already linked, an approver has to decide.
    const free = matching.filter(({ heldBy }) => heldBy === null);
    const linked = free.length === 0 ? own[0] : undefined;
    // Since the button was offered, the address may have changed or another person may have been linked.
    const proved = (linked ?? (action.confirmed ? free[0] : undefined))?.account;
    // The address is proof only if the card program has it now.
    if (proved !== undefined && isSameEmail(await currentEmail(proved.acctId, deps), person?.email ?? null)) {
      const holder = { acctId: proved.acctId, cardId: null, userId, provedBy: 'email' } as const;
      const result = await deps.setHolder(action, holder);
      return await answer(action, linkResult({ ...result, userId, isOwn: true }));
    }
    if (proved === undefined && free.length > 0 && free.length <= OWN_MAX)
      return await askToConfirm(
        action,
        free.map(({ account }) => account),
      );
    const unproved = linked === undefined ? matching.filter(({ heldBy }) => heldBy !== userId) : own;
    await claimUnproved(action, unproved.length > 0 ? unproved.map(({ account }) => account.acctId) : meant);
  };

  async function claimUnproved(action: ClaimAction, accounts: readonly number[]): Promise<void> {
    const { userId } = action.actor;
    const [acctId] = accounts;
    if (acctId === undefined || !(await areLinked(accounts, userId, deps)))
      return await deps.openClaim(action, accounts);
    // An approver has linked it, whatever the person's address.
    await deps.record(action, { event: 'unchanged', acctId });
    const card = toCardFacts(acctId, await deps.directory.current(acctId));
    await answer(action, linkResult({ card, userId, isOwn: true, before: null, isSame: true }));
  }

  async function askToConfirm(action: ClaimAction, own: readonly DirectoryAccount[]): Promise<void> {
    const choices = [];
    for (const account of own) {
      const { acctId } = account;
      const target = { kind: 'card', acctId, cardId: null, alertId: null } as const;
      const confirmed: ClaimAction = { ...action, confirmed: true, target };
      choices.push({ value: await deps.putChoice(confirmed, null), card: toCardFacts(acctId, account) });
    }
    await deps.record(action, { event: 'asked', acctId: own.length === 1 ? (own[0]?.acctId ?? null) : null });
    await answer(action, confirmOwnCard(choices));
  }
}

async function areLinked(
  accounts: readonly number[],
  userId: string,
  { links }: Pick<Deps, 'links'>,
): Promise<boolean> {
  for (const acctId of accounts) if ((await linkedHolder(acctId, links)) !== userId) return false;
  return true;
}

async function accountsMeant({ target }: Action, { directory }: Pick<Deps, 'directory'>): Promise<number[]> {
  if (target.kind === 'card') return [target.acctId];
  if (target.kind !== 'words') return [];
  return (await directory.find(target.words.join(' '))).map(({ acctId }) => acctId);
}

/** Those of the accounts that have the person's own address, and who is linked to each. */
async function accountsWith(
  email: string,
  meant: readonly number[],
  { directory, links }: Pick<Deps, 'directory' | 'links'>,
): Promise<{ account: DirectoryAccount; heldBy: string | null }[]> {
  const matching = (await directory.findByEmail(email)).filter(
    (account) => meant.includes(account.acctId) && isSameEmail(account.email, email),
  );
  return await Promise.all(
    matching.map(async (account) => ({ account, heldBy: await linkedHolder(account.acctId, links) })),
  );
}

interface OpenClaimDeps extends Pick<ActionTools, 'record' | 'withLock' | 'now' | 'person'> {
  readonly responses: Pick<Responses, 'refuse' | 'answer'>;
  readonly claims: Pick<Claims, 'get' | 'save' | 'open' | 'count'>;
  readonly directory: Pick<Directory, 'account' | 'status'>;
  /** Posts a claim to the approvals channel of its card, where it is confirmed or denied until it expires. Idempotent. */
  readonly submitClaim: (claim: Claim) => Promise<void>;
}

const tooOften = { why: `You have asked ${CLAIMS_A_DAY} times today.`, whoCan: 'Ask an approver.' };

/**
 * Asks the approvers who holds a card. Claiming again while the claim is open reuses it. Idempotent.
 *
 * @param acctIds those that the words may mean: whoever means one of several has to say which one.
 * @param heldBy whose link is to end: an approver may claim that somebody else no longer holds a card that is theirs by
 * its email address.
 */
export function createOpenClaim(deps: OpenClaimDeps) {
  return async function openClaim(action: Claim['action'], acctIds: readonly number[], heldBy?: string): Promise<void> {
    const { userId } = action.actor;
    // Two simultaneous commands are also one claim.
    await deps.withLock(`claims-of:${userId}`, async () => {
      const id = `clm_${action.id.slice(4)}`;
      const [acctId, ...others] = acctIds;
      const linkOf = heldBy === userId ? undefined : heldBy;
      const twin = acctId === undefined || others.length > 0 ? null : await twinOf(action, acctId, linkOf);
      const existing = (await deps.claims.get(id)) ?? twin;
      // Not counted: whoever tries again later, as the answer says, is not guessing.
      const unread = existing === null ? await notKnownYet(action, acctIds, deps) : null;
      if (unread !== null) return await deps.responses.refuse(action, unread, { why: 'the cards are not read yet' });
      if (existing === null && (await deps.claims.count(userId, action.id)) > CLAIMS_A_DAY) {
        return await deps.responses.refuse(action, tooOften, { isNotPermitted: true });
      }
      if (acctId === undefined) return await refuseUnknown(action, deps);
      if (others.length > 0) return await askWhich(action);
      const claim = existing ?? (await open(id, action, acctId, linkOf));
      if (claim.id !== id) await deps.record(action, { event: 'unchanged', acctId: null, detail: claim.id });
      await deps.submitClaim(claim);
      await deps.responses.answer(action, claimWaits({ isUnlink: action.verb === 'unlink', linkOf }));
    });
  };

  /** The same person's open claim of the same card, and of the same link if that is to end. */
  async function twinOf(asked: Action, acctId: number, linkOf?: string): Promise<Claim | null> {
    const isSame = ({ action, card }: Claim): boolean =>
      action.verb === asked.verb &&
      action.actor.userId === asked.actor.userId &&
      card.acctId === acctId &&
      card.linkOf === linkOf;
    return (await deps.claims.open()).find(isSame) ?? null;
  }

  async function askWhich(action: Action): Promise<void> {
    const why = `More than one card matches “${wordsOf(action)}”.`;
    const byApprover = `An approver can link it with ${commandCode('link CARD @user')}.`;
    const whoCan = `Write ${commandCode('link')} with ${otherFormsOf(wordsOf(action))}. ${byApprover}`;
    const onRecord = `more than one card matches ${typedOnRecord(wordsOf(action))}`;
    await deps.responses.refuse(action, { why, whoCan }, { why: onRecord });
  }

  async function open(id: string, action: Claim['action'], acctId: number, linkOf?: string): Promise<Claim> {
    const expiresAt = new Date(deps.now().getTime() + CLAIM_MS).toISOString();
    const card = { ...(await compare(acctId, action, deps)), ...(linkOf !== undefined && { linkOf }) };
    const claim: Claim = { id, action, card, state: 'open', expiresAt };
    await deps.record(action, { event: 'waiting', acctId: null, detail: id });
    await deps.claims.save(claim);
    return claim;
  }
}

/** Why Cardbell cannot know yet which card is claimed. Null when it knows. */
async function notKnownYet(action: Action, acctIds: readonly number[], deps: OpenClaimDeps) {
  const [acctId] = acctIds;
  if (action.verb !== 'claim' || acctIds.length > 1) return null;
  const query = wordsOf(action);
  const { last4, id } = interpret(query);
  // The four digits may also be those of the claimant's card, which has not been read yet.
  const isSure = acctId !== undefined && (last4 === null || id === acctId);
  if (isSure || (acctId !== undefined && (await compare(acctId, action, deps)).isSameEmail === true)) return null;
  return notReadYet(query, await deps.directory.status());
}

async function compare(
  acctId: number,
  { actor }: Action,
  { person, directory }: Pick<OpenClaimDeps, 'person' | 'directory'>,
): Promise<ClaimedCard> {
  const claimant = await person(actor.userId);
  const account = await directory.account(acctId);
  const holder = [account?.firstName, account?.lastName].filter(Boolean).join(' ');
  return {
    acctId,
    isSameName: compared(claimant?.name, holder, isSameName),
    isSameEmail: compared(claimant?.email, account?.email, isSameEmail),
  };
}

/** Approvers are not asked about a card that does not exist. */
async function refuseUnknown(action: Action, { responses }: Pick<OpenClaimDeps, 'responses'>): Promise<void> {
  const query = wordsOf(action);
  const isHidden = /\d{4}/.test(query) && interpret(query).last4 === null;
  const refusal = {
    why: query === '' ? 'I don’t know which card you mean.' : `No card matches “${query}”.`,
    whoCan: `${isHidden ? 'Write only' : 'Check'} the last four digits on the card.`,
  };
  const why = query === '' ? 'no card was named' : `no card matches ${typedOnRecord(query)}`;
  await responses.refuse(action, refusal, { why });
}

/** How a card can be named, without the form that was typed and fits several. */
function otherFormsOf(typed: string): string {
  const { last4, words } = interpret(typed);
  if (last4 !== null) return 'the card id or the full name';
  return words.length > 1
    ? 'the card id or the last four digits'
    : 'the card id, the full name or the last four digits';
}

function wordsOf({ target }: Action): string {
  return target.kind === 'words' ? target.words.join(' ') : '';
}

/** Null when one of them is not known. */
function compared(
  one: string | null | undefined,
  other: string | null | undefined,
  isSame: (one: string, other: string) => boolean,
): boolean | null {
  return one == null || other == null || one.trim() === '' || other.trim() === '' ? null : isSame(one, other);
}

/** Every part of the shorter name is in the longer one: `Sam Rivera` matches `Sam J. Rivera`. */
export function isSameName(one: string, other: string): boolean {
  const [short = [], long = []] = [nameWords(one), nameWords(other)].toSorted((a, b) => a.length - b.length);
  return short.length > 1 && short.every((word) => long.includes(word));
}

interface ClaimFactsDeps extends Pick<ActionTools, 'factsOf'> {
  readonly links: Pick<Links, 'ofAccount'>;
}

/** What approvers see of a claim, with the values of its buttons. */
export async function claimFacts(claim: Claim, { factsOf, links }: ClaimFactsDeps): Promise<ClaimFacts> {
  const { acctId, isSameName, isSameEmail } = claim.card;
  const heldBy = await linkedHolder(acctId, links);
  const held = { heldBy, isLinkedSince: isLinkedSince(claim, heldBy) };
  const value = claimValue(claim.id, heldBy);
  return { claim, card: await factsOf(acctId), value, isSameName, isSameEmail, ...held };
}

/** Null when the claim is unknown or too old. */
export async function claimMessage(
  claimId: string,
  deps: ClaimFactsDeps & { readonly claims: Pick<Claims, 'get'> },
): Promise<Message | null> {
  const claim = await deps.claims.get(claimId);
  return claim === null ? null : claimRequest(await claimFacts(claim, deps));
}
