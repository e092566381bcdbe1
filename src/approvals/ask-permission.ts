import { permissionAsked, permissionSent, type Typed } from '../../templates/approvals/permission-asked.ts';
import { type Action, withoutForm } from '../actions/action.ts';
import type { ActionTools, Responses, Rights } from '../actions/action-tools.ts';
import { othersAllowed } from '../actions/ask-others.ts';
import type { RefusalCounts } from '../actions/record-limits.ts';
import type { CardFacts } from '../core/card-facts.ts';
import type { Since } from '../core/since.ts';
import type { createOnlyCard } from '../directory/candidates.ts';
import type { Permission } from '../policy/decide-action.ts';
import { AskedInput, type AskPermissionAction } from './verbs.ts';

/** Turns a refused action into a question to the people who may do it. Runs when its button is pressed. */
export function askPermissionOf(refused: Action): Action & Pick<AskPermissionAction, 'asked' | 'input'> {
  const { id, verb, target, reason, actor, roles, origin, askedAt } = withoutForm(refused);
  // Nobody else may undo a block, but approvers may unblock the card.
  const asked = verb === 'undo-block' ? 'unblock' : verb;
  // Of the refused verb's own fields, only what people need to decide.
  const input = AskedInput.parse(refused);
  return { id, verb: 'ask-permission', target, reason, actor, roles, asHolder: false, origin, askedAt, asked, input };
}

interface Deps extends Pick<ActionTools, 'record' | 'postToApprovals'> {
  readonly cardAsked: ReturnType<typeof createCardAsked>;
  readonly responses: Pick<Responses, 'answer' | 'refuse'>;
  readonly refusalCounts: Pick<RefusalCounts, 'questions'>;
  readonly verbs: VerbTable;
  readonly questionOf: ReturnType<typeof createQuestionOf>;
}

interface VerbTable {
  readonly permissionOf: (verb: string) => Permission;
  /** A verb in words, followed by the card: `change a limit of`. */
  readonly refusedTo: (verb: string) => string;
  /** The first words of the slash command that does this for somebody else; null: there is none. */
  readonly commandOf: (verb: string) => string | null;
}

/** Each question mentions everyone who may do it, so one person may ask only this often within an hour. */
const QUESTIONS_MAX = 5;

/** *Ask them*, after a refusal: asks the people who may do it, in the approvals channel. Idempotent. */
export function createAskPermission(deps: Deps): (action: AskPermissionAction) => Promise<void> {
  return async function askPermission(action) {
    const { id, asked } = action;
    if ((await deps.refusalCounts.questions(action)) > QUESTIONS_MAX) {
      const why = `You asked ${QUESTIONS_MAX} times within an hour.`;
      const whoCan = 'Wait an hour, or write to them yourself.';
      return await deps.responses.refuse(action, { why, whoCan }, { isNotPermitted: true });
    }
    const card = await deps.cardAsked(action);
    const { role, doing: general } = deps.verbs.permissionOf(asked);
    const doing = card === null ? general : deps.verbs.refusedTo(asked);
    const line = { did: `asked others to ${doing}`, card };
    await deps.record(action, { event: 'asked', begins: true, acctId: card?.acctId ?? null, line });
    // “My card” is another one for whoever types it.
    const isUnknown = action.target.kind === 'own' && card === null;
    const command = isUnknown ? null : deps.verbs.commandOf(asked);
    const question = await deps.questionOf(action, { doing, card, command, role });
    await deps.postToApprovals(`ask-${id}`, permissionAsked(question), card?.group ?? null);
    await deps.responses.answer(action, permissionSent(question));
  };
}

interface CardDeps extends Pick<ActionTools, 'accountOf' | 'factsOf'> {
  readonly onlyCard: ReturnType<typeof createOnlyCard>;
}

/** The card that a question is about; null: none, or it is unknown which. */
export function createCardAsked({ accountOf, factsOf, onlyCard }: CardDeps) {
  return async function cardAsked({ target, actor, asked }: AskPermissionAction): Promise<CardFacts | null> {
    if (target.kind === 'own') {
      const own = await onlyCard({ actor, verb: asked });
      return own === null ? null : await factsOf(own.acctId, own);
    }
    const acctId = await accountOf(target);
    return acctId === null ? null : await factsOf(acctId);
  };
}

interface QuestionDeps extends Pick<ActionTools, 'purchaseOf'> {
  readonly rights: Pick<Rights, 'whoMay'>;
  /** Link to the alert or the request that an action is about; null: none. */
  readonly linkOf: (action: Pick<Action, 'target'>) => Promise<string | null>;
  /** As UTC ISO 8601; null: there is no such date. */
  readonly momentOf: (since: Since, askedAt: string) => string | null;
}

type Question = Parameters<typeof permissionAsked>[0];

/** What people read who may do it. @param role who that is; null: nobody in particular. */
export function createQuestionOf(deps: QuestionDeps) {
  return async function questionOf(
    action: AskPermissionAction,
    { doing, card, command, role }: Pick<Question, 'doing' | 'card' | 'command'> & Pick<Permission, 'role'>,
  ): Promise<Question> {
    const { input = {}, actor, reason } = action;
    return {
      by: actor.userId,
      doing,
      card,
      typed: typedIn(action, command),
      input,
      purchase: await deps.purchaseOf(action),
      link: await deps.linkOf(action),
      reason,
      command,
      role: role ?? 'approver',
      whoMay: await othersAllowed(action, role, card?.group ?? null, deps),
    };
  };

  /** The words after the verb; null: it was no command, or its card is known. */
  function typedIn(
    { target, origin: { channel }, askedAt }: AskPermissionAction,
    command: string | null,
  ): Typed | null {
    switch (target.kind) {
      case 'words':
        return { words: target.words.join(' '), channel: null };
      case 'own':
        return { words: 'my card', channel: null };
      case 'channel':
        return { words: target.text, channel: command === null ? null : channel };
      case 'since':
        // A time ago is another one when the command is typed.
        return { words: deps.momentOf(target.since, askedAt)?.replace(/\.\d+/, '') ?? '', channel: null };
      default:
        return null;
    }
  }
}
