import { Action, type Origin, type Policy, type Target, type Verb } from '../actions/action.ts';
import { StoreUnavailableError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { ChangeRequest } from '../limits/change-request.ts';
import { isPermitted, neededRole, type Permissions, type Role } from '../policy/permissions.ts';
import type { Message } from '../slack/message.ts';

/** What a person asked for, as Slack delivered it. */
export interface Ask {
  /** Equal for repeated deliveries of one click or command, different for two. */
  readonly id: string;
  readonly verb: Verb;
  readonly target: Target;
  readonly changeRequest?: ChangeRequest;
  readonly reason?: string;
  /** What stood behind the card: until when, which countries, since when. */
  readonly details?: string;
  readonly confirmed?: boolean;
  readonly approve?: boolean;
  /** For `link`: the Slack user who holds the card. */
  readonly subject?: string;
  readonly ask?: Action['ask'];
  readonly form?: Action['form'];
  readonly actor: { readonly userId: string; readonly teamId: string };
  /** The person belongs to another company's workspace (a shared channel). */
  readonly isExternal: boolean;
  readonly origin: Origin;
}

interface Deps {
  readonly permissions: Permissions;
  /** Goes on record with what is asked. */
  readonly policy: Policy;
  readonly take: (entry: { type: 'action' | 'refused'; action: Action }) => Promise<'new' | 'seen'>;
  /** Tells the person who asked; nobody else sees it. */
  readonly notify: (message: Message) => Promise<void>;
  readonly refusal: (refused: {
    verb: Verb;
    role: Role | null;
    isExternal: boolean;
    whoMay: readonly string[];
  }) => Message;
  readonly unavailable: () => Message;
  readonly count: (verb: Verb, decision: 'taken' | 'refused' | 'unavailable') => void;
  readonly now: () => Date;
  readonly log: Log;
}

/** What was found before an action is stored: its form, or why it cannot be; null: nothing is to be stored. */
export type Prepared = Pick<Ask, 'form'> | { readonly refused: Refused } | null;

interface Refused {
  /** One sentence, for the record. */
  readonly why: string;
  /** What the person reads. */
  readonly message: Message;
}

/**
 * Web half of an action: permit and store. It holds no card API token, so this is all it can do.
 *
 * Permission is looked up now, at the click, whatever the message showed when it was drawn.
 *
 * @param prepare done once it is permitted, before it is stored: opens a form, for instance. What it answers is added to
 * the action, or says why it is refused all the same; null: nothing is stored.
 */
export async function requestAction(
  ask: Ask,
  deps: Deps,
  prepare: () => Promise<Prepared> = async () => ({}),
): Promise<void> {
  const { permissions, log } = deps;
  const { roles, isComplete } = ask.isExternal
    ? { roles: [], isComplete: true }
    : await permissions.rolesOf(ask.actor.userId);
  const isPermittedNow = !ask.isExternal && isPermitted(ask.verb, roles);
  const prepared = isPermittedNow ? await prepare() : { refused: noOf(ask, isComplete, deps) };
  if (prepared === null) return;
  const no = 'refused' in prepared ? prepared.refused : null;
  const action = Action.parse({
    id: ask.id,
    verb: ask.verb,
    target: ask.target,
    changeRequest: ask.changeRequest ?? null,
    reason: ask.reason ?? '',
    details: ask.details ?? '',
    confirmed: ask.confirmed ?? false,
    approve: ask.approve ?? null,
    subject: ask.subject ?? null,
    ask: ask.ask ?? null,
    form: ('form' in prepared ? prepared.form : null) ?? null,
    actor: ask.actor,
    roles,
    origin: ask.origin,
    refusedFor: no?.why ?? null,
    policy: deps.policy,
    askedAt: deps.now().toISOString(),
  });
  const isUnsure = !isPermittedNow && !isComplete;
  deps.count(ask.verb, isUnsure ? 'unavailable' : no === null ? 'taken' : 'refused');
  const { userId } = ask.actor;
  log.info({ actionId: action.id, verb: ask.verb, userId, roles, isAllowed: no === null }, 'action asked for');

  try {
    await deps.take({ type: no === null ? 'action' : 'refused', action });
  } catch (error) {
    if (!(error instanceof StoreUnavailableError)) throw error;
    deps.count(ask.verb, 'unavailable');
    if (no === null) return await deps.notify(deps.unavailable());
    // A refusal is given all the same; that it is missing in the record is said in the log.
    log.error({ err: error, actionId: action.id }, 'a refusal could not be recorded');
  }
  if (no !== null) await deps.notify(no.message);
}

/** Why somebody may not. Nobody is let through on a guess. */
function noOf({ verb, isExternal }: Ask, isComplete: boolean, deps: Deps): Refused {
  if (!isComplete && !isExternal) {
    deps.log.error({ verb }, 'roles could not be read, nobody is let through');
    return { why: 'it could not be read who may', message: deps.unavailable() };
  }
  const role = neededRole[verb];
  const whoMay = role === null ? [] : deps.permissions.whoMay(role);
  const why = isExternal ? 'not permitted to people of another company' : 'not permitted';
  return { why, message: deps.refusal({ verb, role, isExternal, whoMay }) };
}
