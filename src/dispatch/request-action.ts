import type { Action as AnyAction, Origin, Target } from '../actions/action.ts';
import { askPermissionOf } from '../approvals/ask-permission.ts';
import { StoreUnavailableError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Role } from '../policy/decide-action.ts';
import type { Permissions } from '../policy/permissions.ts';
import type { Message } from '../slack/message.ts';
import { redactText } from '../webhooks/quarantine.ts';
import { Action, type ActionOf, entryOf, type InputOf, isAsHolder, isPermitted, type Verb, verbs } from './verbs.ts';

/** Who asks for what, as Slack delivered it. */
export interface Asking {
  /** Equal for repeated deliveries of one click or command, different for two. */
  readonly id: string;
  readonly verb: Verb;
  readonly target: Target;
  readonly reason?: string;
  readonly actor: { readonly userId: string; readonly teamId: string };
  /** The person belongs to another company's workspace (a shared channel). */
  readonly isExternal: boolean;
  readonly origin: Origin;
}

/** The same with what the verb takes, or a function that finds it: done once it is permitted, before it is stored. */
export type Ask = {
  [V in Verb]: Asking & {
    readonly verb: V;
    readonly target: ActionOf<V>['target'];
    readonly input: InputOf<V> | (() => Promise<Prepared<InputOf<V>>>);
  };
}[Verb];

/**
 * What was read from words or kept behind a button, whose verb and input nobody knows when this is compiled.
 *
 * @throws Error for a verb that does not exist. The input is checked before anything is stored.
 */
export function askOf(
  ask: Omit<Asking, 'verb'> & { readonly verb: string; readonly input: Readonly<Record<string, unknown>> },
): Ask {
  if (!Object.hasOwn(verbs, ask.verb)) throw new Error('an action of an unknown verb');
  return ask as Ask;
}

/** What the verb of a kept action takes. */
export function inputOf(action: AnyAction): Readonly<Record<string, unknown>> {
  const envelope = ['id', 'verb', 'target', 'reason', 'actor', 'roles', 'asHolder', 'origin', 'askedAt'];
  return Object.fromEntries(Object.entries(action).filter(([name]) => !envelope.includes(name)));
}

/** What was found before an action is stored: its input, or why it cannot be; `shown`: the person looks at it, no more. */
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

interface Deps {
  readonly permissions: Permissions;
  readonly take: (
    entry:
      | { readonly type: 'action'; readonly action: Action }
      | { readonly type: 'refused'; readonly action: AnyAction; readonly why: string },
  ) => Promise<'new' | 'seen'>;
  readonly refusal: (refused: {
    doing: string;
    role: Role | null;
    isExternal: boolean;
    whoMay: readonly string[];
    askValue: string | null;
  }) => Message;
  /** Keeps an action that is done when its button is pressed. @returns the button's value. */
  readonly offer: (action: AnyAction) => Promise<string>;
  readonly unavailable: () => Message;
  readonly count: (verb: Verb, decision: 'taken' | 'refused' | 'unavailable') => void;
  readonly now: () => Date;
  readonly log: Log;
}

/**
 * Web half of an action: permit and store. It holds no card API token, so this is all it can do.
 *
 * Permission is looked up now, at the click, whatever the message showed when it was drawn.
 *
 * @param notify tells the person who asked; nobody else sees it.
 */
export async function requestAction(ask: Ask, notify: (message: Message) => Promise<void>, deps: Deps): Promise<void> {
  const { verb } = ask;
  const { roles, isComplete } = ask.isExternal
    ? { roles: [], isComplete: true }
    : await deps.permissions.rolesOf(ask.actor.userId);
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
  deps.log.info({ actionId: ask.id, verb, userId, roles, isAllowed: isTaken }, 'action asked for');

  try {
    await deps.take(
      isTaken
        ? { type: 'action', action: Action.parse({ ...envelope, ...input }) }
        : { type: 'refused', action: envelope, why: prepared.why },
    );
  } catch (error) {
    if (!(error instanceof StoreUnavailableError)) throw error;
    deps.count(verb, 'unavailable');
    if (isTaken && !isLook) return await notify(deps.unavailable());
    // It was given, or shown, all the same; that it is missing in the record is said in the log.
    deps.log.error({ err: error, actionId: ask.id }, 'a refusal or a look could not be recorded');
  }
  if (!isTaken) await notify(prepared.message);
}

async function prepare({ input }: Ask): Promise<Prepared<object>> {
  return typeof input === 'function' ? await input() : { kind: 'input', input };
}

function envelopeOf({ id, verb, target, reason = '', actor, origin }: Asking, roles: Role[], deps: Deps): AnyAction {
  const askedAt = deps.now().toISOString();
  // People copy what stands on the card; the reason is kept for good.
  const masked = redactText(reason);
  return { id, verb, target, reason: masked, actor, roles, asHolder: isAsHolder(verb, roles), origin, askedAt };
}

/** Why somebody may not. Nobody is let through on a guess. */
async function refusedOf(
  { verb, isExternal }: Asking,
  action: AnyAction,
  isComplete: boolean,
  deps: Deps,
): Promise<Refused> {
  if (!isComplete && !isExternal) {
    deps.log.error({ verb }, 'roles could not be read, nobody is let through');
    return { kind: 'refused', why: 'it could not be read who may', message: deps.unavailable() };
  }
  const { role, doing } = entryOf(verb).permission;
  const whoMay = role === null ? [] : deps.permissions.whoMay(role);
  const why = isExternal ? 'not permitted to people of another company' : 'not permitted';
  const askValue = isExternal ? null : await offerToAsk(action, deps);
  return { kind: 'refused', why, message: deps.refusal({ doing, role, isExternal, whoMay, askValue }) };
}

/** Null while the button cannot be kept: who can is said all the same. */
async function offerToAsk(action: AnyAction, { offer, log }: Deps): Promise<string | null> {
  try {
    return await offer(askPermissionOf(action));
  } catch (err) {
    log.warn({ err }, 'a question to those who may could not be kept');
    return null;
  }
}
