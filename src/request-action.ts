import { Action, type Origin, type Policy, type Target, type Verb } from './authority/action.ts';
import type { Wish } from './authority/wish.ts';
import { StoreUnavailableError } from './errors.ts';
import type { Log } from './log.ts';
import { isPermitted, neededRole, type Permissions, type Role } from './permissions.ts';
import type { Message } from './slack/message.ts';

/** What a person asked for, as Slack delivered it. */
export interface Ask {
  /** Equal for repeated deliveries of one click or command, different for two. */
  readonly id: string;
  readonly verb: Verb;
  readonly target: Target;
  readonly wish?: Wish;
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
  readonly isStranger: boolean;
  readonly origin: Origin;
}

interface Deps {
  readonly permissions: Permissions;
  /** Goes on record with what is asked. */
  readonly policy: Policy;
  readonly take: (entry: { type: 'action' | 'refused'; action: Action }) => Promise<'new' | 'seen'>;
  /** Tells the person who asked; nobody else sees it. */
  readonly tell: (message: Message) => Promise<void>;
  readonly refusal: (refused: {
    verb: Verb;
    role: Role | null;
    isStranger: boolean;
    whoMay: readonly string[];
  }) => Message;
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
 * @param prepare done once it is permitted, before it is stored: opens a form, for instance. What it answers is added to
 * the action; null: nothing is stored.
 */
export async function requestAction(
  ask: Ask,
  deps: Deps,
  prepare: () => Promise<Pick<Ask, 'form'> | null> = async () => ({}),
): Promise<void> {
  const { permissions, log } = deps;
  const { roles, isComplete } = ask.isStranger
    ? { roles: [], isComplete: true }
    : await permissions.rolesOf(ask.actor.userId);
  const isAllowed = !ask.isStranger && isPermitted(ask.verb, roles);
  if (!isAllowed && !isComplete) {
    log.error({ verb: ask.verb }, 'roles could not be read, nobody is let through');
    deps.count(ask.verb, 'unavailable');
    await deps.tell(deps.unavailable());
    return;
  }

  const prepared = isAllowed ? await prepare() : {};
  if (prepared === null) return;
  const action = Action.parse({
    id: ask.id,
    verb: ask.verb,
    target: ask.target,
    wish: ask.wish ?? null,
    reason: ask.reason ?? '',
    details: ask.details ?? '',
    confirmed: ask.confirmed ?? false,
    approve: ask.approve ?? null,
    subject: ask.subject ?? null,
    ask: ask.ask ?? null,
    form: prepared.form ?? null,
    actor: ask.actor,
    roles,
    origin: ask.origin,
    policy: deps.policy,
    askedAt: deps.now().toISOString(),
  });
  deps.count(ask.verb, isAllowed ? 'taken' : 'refused');
  log.info({ actionId: action.id, verb: ask.verb, userId: ask.actor.userId, roles, isAllowed }, 'action asked for');

  try {
    await deps.take({ type: isAllowed ? 'action' : 'refused', action });
  } catch (error) {
    if (!(error instanceof StoreUnavailableError)) throw error;
    deps.count(ask.verb, 'unavailable');
    if (isAllowed) {
      await deps.tell(deps.unavailable());
      return;
    }
    // A refusal is given all the same; that it is missing in the record is said in the log.
    log.error({ err: error, actionId: action.id }, 'a refusal could not be recorded');
  }
  if (isAllowed) return;
  const role = neededRole[ask.verb];
  await deps.tell(
    deps.refusal({
      verb: ask.verb,
      role,
      isStranger: ask.isStranger,
      whoMay: role === null ? [] : permissions.whoMay(role),
    }),
  );
}
