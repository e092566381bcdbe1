import { countOf } from '../../templates/core/blocks.ts';
import type { Refusal } from '../../templates/policy/refusal.ts';
import type { Action } from '../actions/action.ts';
import type { Responses, Rights } from '../actions/action-tools.ts';
import { closest } from '../core/closest.ts';
import { commandCode } from '../core/installation.ts';
import { redactText } from '../core/redact-text.ts';
import { mentioned, truncate } from '../slack/mrkdwn.ts';
import { type DirectoryAccount, holderOf, lacksDetails } from './account.ts';
import { digitsIn, interpret, splitJoined } from './card-query.ts';
import type { Directory } from './directory.ts';

/** What finding a card needs of the directory. */
export interface CardDirectory extends Pick<Directory, 'find' | 'findKnown' | 'status' | 'untilListed'> {
  readonly account: (
    acctId: number,
  ) => Promise<Pick<DirectoryAccount, 'cards' | 'accountStatus' | 'detailsAt' | 'doubtedAt'> | null>;
  readonly all: () => AsyncIterable<Pick<DirectoryAccount, 'acctId' | 'firstName' | 'lastName'>>;
  readonly reload: (acctId: number) => Promise<Pick<DirectoryAccount, 'cards'> | null>;
  readonly current: CardDirectory['reload'];
}

export interface UnknownCardDeps {
  readonly responses: Pick<Responses, 'refuse'>;
  readonly rights: Pick<Rights, 'mayAct'>;
  readonly directory: Pick<CardDirectory, 'account' | 'all' | 'findKnown' | 'status'>;
  readonly links: {
    readonly ofUser: (userId: string) => Promise<readonly { readonly acctId: number }[]>;
  };
}

type UnreadDeps = Pick<UnknownCardDeps, 'directory' | 'links'>;

/**
 * Says that no card matches what a person typed, or that Cardbell cannot know yet.
 *
 * @param rest the words behind it, which may name the card after all: `this card 4242`.
 */
export async function refuseUnknown(
  action: Action,
  query: string,
  rest: readonly string[],
  deps: UnknownCardDeps,
): Promise<void> {
  const { directory, responses } = deps;
  const onRecord = { why: `no card matches ${typedOnRecord(query)}` };
  const status = await directory.status();
  const unread = notReadYet(
    query,
    action.asHolder ? { ...status, lackingDetails: await ownUnread(action, deps) } : status,
  );
  if (unread !== null) return await responses.refuse(action, unread, onRecord);
  const isPerson = mentioned(query) !== null;
  if (action.asHolder) {
    const whoCan = `Use the last four digits of a card that is linked to you, or type ${commandCode()} to pick one.`;
    return await responses.refuse(
      action,
      { why: `You hold no card ${isPerson ? 'of this person' : `“${query}”`}.`, whoCan },
      onRecord,
    );
  }
  const typed = [query, ...rest].join(' ');
  const meant = (await numberMeant(action, typed, deps)) ?? (await nameMeant(action, typed, deps));
  const suggestion = meant === null ? '' : `Did you mean “${meant}”? `;
  const whoCan = `${suggestion}Use the last four digits, a card id, an account id, a custom id or the holder’s name.`;
  const why = isPerson ? 'No card is linked to this person.' : `No card matches “${query}”.`;
  await responses.refuse(action, { why, whoCan }, onRecord);
}

/** What was typed for a card, quoted for the record, which is kept permanently. People copy what is printed on the card. */
export function typedOnRecord(query: string): string {
  return `“${truncate(redactText(query), TYPED_MAX)}”`;
}

const TYPED_MAX = 100;

/** Why Cardbell cannot know yet that no card matches what someone typed, and what helps. Null when it knows. */
export function notReadYet(
  query: string,
  { accounts, lackingDetails, listedAt }: Awaited<ReturnType<Directory['status']>>,
): Refusal | null {
  // Webhooks may have named some accounts before.
  if (accounts === 0 || listedAt === null)
    return {
      why: 'I could not read the list of cards from the card service yet.',
      whoCan: 'Try again in a minute.',
    };
  const { last4, id } = interpret(query);
  // The list contains all names and CustomIds. Digits and card ids may come only with the details.
  if (lackingDetails === 0 || (last4 === null && id === null)) return null;
  return {
    why: `I don’t know yet which card “${query}” is: the cards of ${countOf(lackingDetails, 'account')} have not been read from the card service.`,
    whoCan: 'Use the holder’s name or the account id, or try again later.',
  };
}

/**
 * How many accounts may have another card with the four digits that someone typed, because their cards are not read yet. Zero
 * for other words.
 */
export async function mayAlsoHave(query: string, action: Action, deps: UnreadDeps): Promise<number> {
  if (interpret(query).last4 === null) return 0;
  return action.asHolder ? await ownUnread(action, deps) : (await deps.directory.status()).lackingDetails;
}

/** How many of the person's own accounts may have cards that are not read yet. Other accounts do not concern a holder. */
async function ownUnread({ actor }: Action, { directory, links }: UnreadDeps): Promise<number> {
  const own = await links.ofUser(actor.userId);
  const accounts = await Promise.all(own.map(({ acctId }) => directory.account(acctId)));
  return accounts.filter((account) => account === null || lacksDetails(account)).length;
}

/** The number of a card among other words: `balance 4242`, `4242-stolen`. Shorter ones are times and counts. */
async function numberMeant(
  action: Action,
  query: string,
  { directory, rights }: UnknownCardDeps,
): Promise<string | null> {
  const digits = query
    .split(' ')
    .flatMap((word) => splitJoined(word).split(' '))
    .map(digitsIn)
    .find((one) => one !== null && one.length >= 4);
  if (digits == null) return null;
  for (const { acctId } of await directory.findKnown(digits)) if (await rights.mayAct(action, acctId)) return digits;
  return null;
}

const NAME_WORDS_MAX = 4;
/** Words around a name that are none, though a name may differ from them by two letters. */
const noName = /^(this|that|the|my|his|her|their|card|cards|account|of|for|no|number|ending|last|four)[.,;:!?]*$/i;

/**
 * The cardholder's name that was probably meant; null when no similar name exists, or the person may not act on that card.
 */
async function nameMeant(
  action: Action,
  typed: string,
  { directory, rights }: UnknownCardDeps,
): Promise<string | null> {
  if (!/\p{L}{3}/u.test(typed)) return null;
  const known = new Map<string, { readonly name: string; readonly acctId: number }>();
  for await (const account of directory.all()) {
    const name = holderOf(account);
    for (const text of [name, account.firstName, account.lastName])
      if (text !== null && text !== '') known.set(text.toLowerCase(), { name: name ?? text, acctId: account.acctId });
  }
  const words = typed.split(' ').flatMap((word) => (noName.test(word) ? [] : [word.replace(/['’]s$/, '')]));
  // A reason may follow the name.
  for (let count = Math.min(words.length, NAME_WORDS_MAX); count > 0; count -= 1) {
    const meant = known.get(closest(words.slice(0, count).join(' '), [...known.keys()]) ?? '');
    if (meant !== undefined) return (await rights.mayAct(action, meant.acctId)) ? meant.name : null;
  }
  return null;
}
