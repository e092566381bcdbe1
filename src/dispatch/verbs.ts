import { z } from 'zod';
import type { Help, HelpEntry } from '../../templates/dispatch/help.ts';
import type { Action } from '../actions/action.ts';
import { actionOf, Target } from '../actions/action.ts';
import type { VerbEntry } from '../actions/verb.ts';
import { statusVerbs } from '../actions/verbs.ts';
import { alertVerbs } from '../alerts/verbs.ts';
import { appHomeVerbs } from '../app-home/verbs.ts';
import { approvalVerbs } from '../approvals/verbs.ts';
import { commandCode } from '../core/installation.ts';
import { digestVerbs } from '../digests/verbs.ts';
import { directoryVerbs } from '../directory/verbs.ts';
import { holderVerbs } from '../holders/verbs.ts';
import { limitVerbs } from '../limits/verbs.ts';
import { groupAsked, isForOwnCard, mayAsk, type Permission, type Role } from '../policy/decide-action.ts';
import { type KnownRoles, mayHaveMoreRoles, type Roles } from '../policy/roles.ts';
import { recoveryVerbs } from '../recovery/verbs.ts';
import { routingVerbs } from '../routing/verbs.ts';
import { virtualCardVerbs } from '../virtual-cards/verbs.ts';
import { warningVerbs } from '../warnings/verbs.ts';

/**
 * Everything people can ask for: one entry per verb, maintained by its capability. The stored shape, the permission,
 * the syntax and the help text come from here. `src/app` connects each verb to the function that performs it.
 */
export const verbs = {
  ...directoryVerbs,
  ...statusVerbs,
  ...virtualCardVerbs,
  ...limitVerbs,
  ...approvalVerbs,
  ...holderVerbs,
  ...recoveryVerbs,
  ...digestVerbs,
  ...appHomeVerbs,
  ...alertVerbs,
  ...routingVerbs,
  ...warningVerbs,
  /** Opens something for viewing only: an alert, its details, a form. The record names what was shown. */
  look: {
    action: actionOf('look', Target, { seen: z.string().max(40) }),
    permission: { role: null, doing: 'open this' },
    refusedTo: 'look at',
    isLook: true,
  },
  /** An option of a message or form that is no longer valid. Always refused. */
  choose: {
    action: actionOf('choose', Target, {}),
    permission: { role: null, doing: 'use this control' },
    refusedTo: 'use an outdated control for',
  },
} as const satisfies Record<string, VerbEntry>;

export type Verb = keyof typeof verbs;
export const verbNames = Object.keys(verbs) as readonly Verb[];

/** False for a verb of another version. */
export function isVerb(verb: string): verb is Verb {
  return Object.hasOwn(verbs, verb);
}

/** An action of one verb, with that verb's own input. */
export type ActionOf<V extends Verb> = z.infer<(typeof verbs)[V]['action']>;
/** A verb's input, without the fields all actions share. */
export type InputOf<V extends Verb> = Omit<ActionOf<V>, keyof Action>;

const { show, ...others } = verbs;
const schemas = Object.values(others).map(({ action }) => action);

/** A permitted request of a person: the only thing besides events that the queue accepts. */
export const VerbAction = z.discriminatedUnion('verb', [show.action, ...schemas]);
export type VerbAction = z.infer<typeof VerbAction>;

/** True when one of `roles` is enough to ask for it. Holders may ask only for their own card. */
export function isPermitted(verb: Verb, roles: readonly Role[]): boolean {
  return mayAsk(entryOf(verb).permission, roles);
}

/** True when the person acts only as a cardholder, so it must be their own card. */
export function isAsHolder(verb: Verb, roles: readonly Role[]): boolean {
  return isForOwnCard(entryOf(verb).permission, roles);
}

export function entryOf(verb: Verb): VerbEntry {
  return verbs[verb];
}

/** True for verbs that apply to one card. */
export function isOfCard(verb: string): boolean {
  return isVerb(verb) && entryOf(verb).isOfCard === true;
}

/** A sentence about what someone with these roles may type instead of a verb that they may not use; null: nothing. */
export function insteadOf(verb: string, roles: readonly Role[]): string | null {
  if (!isVerb(verb)) return null;
  const { holdersType, permission } = entryOf(verb);
  const isForHolders = isOfCard(verb) && isPermitted(verb, ['holder']);
  const isUnlinked = roles.length === 0 || (permission.role === 'holder' && !roles.includes('holder'));
  if (isUnlinked && isForHolders)
    return `If it is your own card, say so first: ${commandCode('link')} and its last four digits.`;
  if (holdersType === undefined || !roles.includes('holder')) return null;
  return `For your own card, write ${commandCode(holdersType)}.`;
}

const help: HelpEntry = {
  usage: 'help [VERB]',
  example: 'help',
  effect: 'shows this list, or how one command is typed',
};

/** The most used verbs, in order. */
const mostUsed: readonly Verb[] = [
  'show',
  'block',
  'ask',
  'limit',
  'declines',
  'activate',
  'unblock',
  'track',
  'claim',
];

/** The help for a person, by their roles of this moment. */
export async function helpNow(userId: string, rolesOf: Roles['rolesOf']): Promise<Help> {
  const [ofAny, ofAll] = await Promise.all([rolesOf(userId), rolesOf(userId, { group: null })]);
  return { ...helpFor(ofAny.roles, ofAll.roles), isUnsure: mayHaveMoreRoles(ofAny) };
}

/**
 * The commands someone with these roles may use, most used first, and the commands only others may use.
 *
 * @param roles for the cards of some groups. @param ofAll for all cards.
 */
export function helpFor(roles: readonly Role[], ofAll: readonly Role[]): Help {
  const isFirst = (verb: Verb): boolean => mostUsed.includes(verb);
  const ordered = [...mostUsed, ...verbNames.filter((verb) => !isFirst(verb))];
  const rolesFor = (verb: Verb) => (entryOf(verb).permission.ofAllCards === true ? ofAll : roles);
  const commandsOf = (isOwn: boolean): HelpEntry[] =>
    ordered
      .filter((verb) => isPermitted(verb, rolesFor(verb)) === isOwn)
      .flatMap((verb) => entryOf(verb).command ?? []);
  const cards = isAsHolder('show', roles) ? 'own' : isPermitted('show', roles) ? 'all' : 'none';
  return { own: [...commandsOf(true), help], others: commandsOf(false), cards };
}

/** The permission that the policy demands for a verb. */
export function permissionOf(verb: string): Permission {
  if (!isVerb(verb)) throw new Error('unknown verb');
  return entryOf(verb).permission;
}

/** Completes "was not allowed to …", for the record, followed by the card if there is one. */
export function refusedTo(verb: string): string {
  return isVerb(verb) ? entryOf(verb).refusedTo : verb;
}

/** True for verbs that change what all cards of an account share. */
export function isOfAccount(verb: string): boolean {
  return isVerb(verb) && entryOf(verb).isOfAccount === true;
}

/** True for verbs that change nothing. */
export function isLook(verb: string): boolean {
  return isVerb(verb) && entryOf(verb).isLook === true;
}

/** True for verbs that loosen or restrict a card, or ask for it. */
export function changesCard(verb: string): boolean {
  const { loosens, needsOthers, restricts } = permissionOf(verb);
  return loosens === true || needsOthers !== undefined || restricts === 'card';
}

/** True for verbs that block cards. A stolen card must not wait behind other requests. */
export function isBlocking(verb: string): boolean {
  return verb === 'block' || verb === 'block-all';
}

/**
 * A person's roles at the click. A block does not wait for Slack: an older list of a user group is sufficient for it, but
 * refuses nobody.
 */
export async function rolesAtClick(verb: Verb, userId: string, rolesOf: Roles['rolesOf']): Promise<KnownRoles> {
  const asked = { group: groupAsked(permissionOf(verb)) };
  if (isBlocking(verb)) {
    const known = await rolesOf(userId, { ...asked, stillGoodMs: Number.POSITIVE_INFINITY });
    // With no list at all, a second call would have no answer either.
    if (isPermitted(verb, known.roles) || !known.isComplete) return known;
  }
  return await rolesOf(userId, asked);
}

/** Completes "to …", for people: `block cards`. */
export function doingOf(verb: string): string {
  return isVerb(verb) ? entryOf(verb).permission.doing : 'do that';
}

/** What a slash command that does this for somebody else begins with, before the card; null: there is none. */
export function commandOf(verb: string): string | null {
  const command = isVerb(verb) ? entryOf(verb).command : undefined;
  if (command === undefined || command.isPersonal === true) return null;
  return /^.+?(?= CARD)|^\S+/.exec(command.usage)?.[0] ?? null;
}
