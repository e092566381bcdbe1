import { notPermitted, submittedTwice, unavailable } from '../../templates/policy/not-permitted.ts';
import { Action, type Origin, type Target } from '../actions/action.ts';
import { askPermissionOf } from '../approvals/ask-permission.ts';
import { contentId } from '../core/content-id.ts';
import { StoreUnavailableError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { redactText } from '../core/redact-text.ts';
import { isForSomeCards, type Role } from '../policy/decide-action.ts';
import type { Roles } from '../policy/roles.ts';
import type { WhoMay } from '../policy/who-may.ts';
import type { Message } from '../slack/message.ts';
import {
  type ActionOf,
  entryOf,
  type InputOf,
  insteadOf,
  isAsHolder,
  isBlocking,
  isPermitted,
  isVerb,
  rolesAtClick,
  type Verb,
  VerbAction,
} from './verbs.ts';

/** Who asks for what, as delivered by Slack. */
export interface Asking {
  /** Equal for repeated deliveries of one click or command, different for two. */
  readonly id: string;
  readonly verb: Verb;
  readonly target: Target;
  readonly reason?: string;
  readonly actor: Action['actor'];
  /** The person belongs to another company's workspace (a shared channel). */
  readonly isExternal: boolean;
  readonly origin: Origin;
}

/**
 * The same with the verb's input, or a function that determines it. The function runs after the permission check,
 * before the action is stored.
 */
export type Ask = {
  [V in Verb]: Asking & {
    readonly verb: V;
    readonly target: ActionOf<V>['target'];
    readonly input: InputOf<V> | (() => Promise<Prepared<InputOf<V>>>);
  };
}[Verb];

/**
 * For typed text and stored buttons, whose verb and input are not known at compile time.
 *
 * @throws Error for an unknown verb. The input is validated before anything is stored.
 */
export function askOf(
  ask: Omit<Asking, 'verb'> & { readonly verb: string; readonly input: Readonly<Record<string, unknown>> },
): Ask {
  if (!isVerb(ask.verb)) throw new Error('unknown verb');
  return ask as Ask;
}

/** The result of preparing an action: its input, or a refusal. `shown`: the person only views something. */
export type Prepared<Input = unknown> =
  | { readonly kind: 'input'; readonly input: Input }
  | Refused
  | { readonly kind: 'shown' };

export interface Refused {
  readonly kind: 'refused';
  /** One sentence, for the record. */
  readonly why: string;
  /** What the person reads. */
  readonly message: Message;
}

export interface RequestDeps {
  readonly rights: Roles & { readonly whoMay: WhoMay };
  readonly take: (
    entry:
      | { readonly type: 'action'; readonly action: VerbAction }
      | { readonly type: 'refused'; readonly action: Action; readonly why: string },
  ) => Promise<'new' | 'seen'>;
  /** Stores an action that runs when its button is pressed. @returns the button's value. */
  readonly offer: (action: Action) => Promise<string>;
  /** The card group that a target's card is in; undefined: unknown, or it names no card yet. */
  readonly groupOfTarget: (target: Target) => Promise<string | null | undefined>;
  readonly count: (verb: Verb, decision: 'taken' | 'refused' | 'unavailable') => void;
  readonly now: () => Date;
  readonly log: Log;
}

/**
 * Web half of an action: check permission and store. It has no card API token, so it can do no more.
 *
 * Permission is checked now, at the click, regardless of what the message showed when it was rendered.
 *
 * @param notify tells the person who asked; nobody else sees it.
 */
export async function requestAction(
  ask: Ask,
  notify: (message: Message) => Promise<void>,
  deps: RequestDeps,
): Promise<void> {
  const { verb } = ask;
  const { roles, isComplete } = ask.isExternal
    ? { roles: [], isComplete: true }
    : await rolesAtClick(verb, ask.actor.userId, deps.rights.rolesOf);
  const isAllowed = !ask.isExternal && isPermitted(verb, roles);
  const asked = envelopeOf(ask, roles, deps);
  const prepared = isAllowed ? await prepare(ask) : await refusedOf(ask, asked, isComplete, deps);
  const isTaken = prepared.kind !== 'refused';
  const isLook = verb === 'look' || prepared.kind === 'shown';
  const envelope = isTaken && isLook ? envelopeOf({ ...ask, verb: 'look' }, roles, deps) : asked;
  const input = prepared.kind === 'input' ? prepared.input : { seen: verb };
  const isUnsure = !isAllowed && !isComplete;
  deps.count(verb, isUnsure ? 'unavailable' : isTaken ? 'taken' : 'refused');
  const { userId } = ask.actor;
  // Some buttons ask for the same action at each press. After a refusal, the next press must still be able to ask for it.
  const id = isTaken ? ask.id : contentId('act_', [ask.id, 'refused']);
  deps.log.info({ actionId: id, verb, userId, roles, isAllowed: isTaken }, 'action requested');

  try {
    const taken = await deps.take(
      isTaken
        ? { type: 'action', action: VerbAction.parse({ ...envelope, ...input }) }
        : { type: 'refused', action: Action.parse({ ...envelope, id }), why: prepared.why },
    );
    // Slack kept the form open because it got no answer in time, so it may say something else by now.
    if (isTaken && !isLook && taken === 'seen' && ask.origin.kind === 'form') await notify(submittedTwice());
  } catch (error) {
    if (!(error instanceof StoreUnavailableError)) throw error;
    deps.count(verb, 'unavailable');
    if (isTaken && !isLook) return await notify(unavailable({ isBlock: isBlocking(verb) }));
    // The refusal or view itself still takes place. The log notes that its record is missing.
    deps.log.error({ err: error, actionId: id }, 'could not record a refusal or a view');
  }
  if (!isTaken) await notify(prepared.message);
}

async function prepare({ input }: Ask): Promise<Prepared<object>> {
  return typeof input === 'function' ? await input() : { kind: 'input', input };
}

function envelopeOf(
  { id, verb, target, reason = '', actor, origin }: Asking,
  roles: Role[],
  deps: RequestDeps,
): Action {
  const askedAt = deps.now().toISOString();
  // People copy what is printed on the card, and the reason is kept permanently.
  const masked = redactText(reason);
  return { id, verb, target, reason: masked, actor, roles, asHolder: isAsHolder(verb, roles), origin, askedAt };
}

/** Why someone may not do it. Without complete roles, nobody is permitted. */
async function refusedOf(
  { verb, isExternal, input }: Ask,
  action: Action,
  isComplete: boolean,
  deps: RequestDeps,
): Promise<Refused> {
  if (!isComplete && !isExternal) {
    deps.log.error({ verb }, 'could not read roles; refusing the action');
    const message = unavailable({ isBlock: isBlocking(verb) });
    return { kind: 'refused', why: 'it could not be read who may', message };
  }
  const { permission } = entryOf(verb);
  const { role, doing } = permission;
  const group = permission.ofAllCards === true ? null : await deps.groupOfTarget(action.target);
  const whoMay = role === null ? [] : await deps.rights.whoMay(role, group);
  const why = isExternal ? 'not permitted to people of another company' : 'not permitted';
  const given = typeof input === 'function' ? {} : input;
  const ofAnyCard = isExternal ? [] : (await deps.rights.rolesOf(action.actor.userId)).roles;
  const askValue = isExternal ? null : await offerToAsk({ ...given, ...action }, deps);
  const people = { isExternal, isForSomeCards: isForSomeCards(permission, ofAnyCard), whoMay };
  const instead = isExternal ? null : insteadOf(verb, ofAnyCard);
  return { kind: 'refused', why, message: notPermitted({ doing, role, ...people, instead, askValue }) };
}

interface GroupOfTargetDeps {
  readonly alerts: { get(id: string): Promise<{ card: { group?: string | null | undefined } } | null> };
  readonly groupOfCard: (acctId: number) => Promise<string | null | undefined>;
}

/** Without it, a refusal names everybody who may do this for some card, so it is not worth an error. */
export function createGroupOfTarget({ alerts, groupOfCard }: GroupOfTargetDeps): RequestDeps['groupOfTarget'] {
  const groupOf = async (target: Target): Promise<string | null | undefined> => {
    if (target.kind === 'card') return await groupOfCard(target.acctId);
    return target.kind === 'alert' ? (await alerts.get(target.alertId))?.card.group : undefined;
  };
  return (target) => groupOf(target).catch(() => undefined);
}

/** Null if the button cannot be stored. The refusal still names who can help. */
async function offerToAsk(action: Action, { offer, log }: RequestDeps): Promise<string | null> {
  try {
    return await offer(askPermissionOf(action));
  } catch (err) {
    log.warn({ err }, 'could not store the button that asks for permission');
    return null;
  }
}
