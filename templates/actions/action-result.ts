import type { ActionVerb, Confirmation, Result } from '../../src/actions/action-state.ts';
import { capital } from '../../src/core/first-letter.ts';
import type { Message } from '../../src/slack/message.ts';
import { dateAfter, mention } from '../../src/slack/mrkdwn.ts';
import {
  actions,
  context,
  countOf,
  escapeUntrusted,
  RULES_MAX,
  section,
  sentence,
  serviceSays,
  withTimes,
} from '../core/blocks.ts';
import { cardOfHolder } from '../core/card-words.ts';
import { changeWords, goesBack } from '../core/change-words.ts';
import { countedWords } from '../limits/counted-words.ts';
import { controlButtons } from './card-buttons.ts';

/** The outcome of an action, and what was asked for. */
export interface ActionResult extends Result {
  readonly verb: ActionVerb;
  /** Where a check of an unknown outcome shows its result. Absent: a message to this person does. */
  readonly shownOn?: 'alert' | 'request' | undefined;
  /** How many cards it is about, if several. */
  readonly cards?: number;
  /** Slack user id. */
  readonly by: string;
  /** UTC ISO 8601. */
  readonly at: string;
  /** The reason the person gave. */
  readonly reason: string | null;
  /** The reference to give when asking for help. */
  readonly ref: string | null;
}

interface VerbWords {
  /** What it does, followed by the card. */
  readonly asked: string;
  readonly done: string;
  /** What was sent to the card service. */
  readonly sent: string;
}

export const verbWords: Readonly<Record<ActionVerb, VerbWords>> = {
  block: { asked: 'block', done: 'Blocked', sent: 'Block' },
  unblock: { asked: 'unblock', done: 'Unblocked', sent: 'Unblock' },
  activate: { asked: 'activate', done: 'Activated', sent: 'Activation' },
  limit: { asked: 'change the limit of', done: 'Limit changed', sent: 'Change' },
  allow: { asked: 'change the spending rules of', done: 'Spending rules changed', sent: 'Change' },
};

/** The outcome of an action: who, what, when, before and after. */
export function actionResult(result: ActionResult): Message {
  const { verb, state, card, by, at, before, after, apiWords, reason, note, control, ref, confirmation, counted } =
    result;
  const name = result.cards === undefined ? cardOfHolder(card) : countOf(result.cards, 'card');
  const head = headline(result, name);
  // What the card was before is not what it is now. Of an unknown outcome, the same twice says nothing.
  const isPossible = state === 'unknown' && before !== null && before !== after;
  const isShown = after !== null && (state === 'done' || isPossible);
  const sides = isShown
    ? [before, after].filter((side) => side !== null).map((side) => escapeUntrusted(side, RULES_MAX))
    : [];
  const [from, to] = sides;
  const moved = to === undefined ? capital(from ?? '') : changeWords(from ?? '', to);
  const sure = state === 'done' && confirmation !== undefined ? sureWords(verb)[confirmation] : '';
  const why = counted == null ? '' : countedWords(counted);
  const said = note === null ? '' : withTimes(note, RULES_MAX);
  const lines = [
    moved && `${moved}.`,
    serviceSays(apiWords),
    durationOf(result),
    why,
    said,
    outcomeWords(result),
    sure,
  ];
  const asked = `${state === 'done' ? verbWords[verb].done : 'Asked'} by ${mention(by)}${dateAfter(',', at)}`;

  return {
    text: sentence([head, ...lines].filter(Boolean).join(' ')),
    blocks: [
      section(
        `*${head}*`,
        ...lines,
        reason === null || state === 'unchanged' ? null : `Reason: ${escapeUntrusted(reason, 300)}`,
      ),
      ...actions(...controlButtons(control ?? null, card)),
      ...context(asked, ref === null ? null : `Reference ${escapeUntrusted(ref, 60)}`),
    ],
  };
}

/** When a changed rule goes back, or that it does not: a time may have been read as the reason. */
function durationOf({ state, control, expects }: ActionResult): string {
  if (control != null) return goesBack(control);
  const isPermanent = state === 'done' && expects?.kind === 'rule' && expects.term?.kind === 'permanent';
  return isPermanent ? 'Duration: permanent.' : '';
}

/** What came of it, unless it was done. */
function outcomeWords({ state, confirmation, expects, note, shownOn }: ActionResult): string {
  if (state !== 'unknown') return outcome[state];
  if (confirmation === 'superseded') return SUPERSEDED;
  if (confirmation !== undefined) return 'Still not confirmed after 2 minutes. Check the card before you try again.';
  if (expects !== undefined) return `${NO_ANSWER} ${checkWords[shownOn ?? 'message']}`;
  // An outcome that nobody checks later has a note if the card was changed since, which says all of this.
  return note === null ? `${NO_ANSWER} Check the card before you try again.` : '';
}

const outcome: Readonly<Record<Exclude<ActionResult['state'], 'unknown'>, string>> = {
  done: '',
  unchanged: '',
  waiting: 'Nothing changed yet.',
  failed: 'Nothing changed.',
};

const NO_ANSWER = 'The card service gave no clear answer, so it may or may not have happened.';

const checkWords = {
  message: 'I’m checking, and will message you within 2 minutes.',
  alert: 'I’m checking: the alert shows the result within 2 minutes.',
  request: 'I’m checking: the request shows the result within 2 minutes.',
} as const;

const SUPERSEDED = 'The card was changed again before the card service confirmed it. Check the card.';

const sureWords = (verb: ActionVerb): Readonly<Record<Confirmation, string>> => ({
  sent: `${verbWords[verb].sent} sent. I’ll message you if it isn’t confirmed within 2 minutes.`,
  confirmed: 'Confirmed by the card service.',
  unconfirmed:
    'The card service accepted it but did not confirm it within 2 minutes. Check the card before you rely on it.',
  superseded: SUPERSEDED,
});

function headline({ verb, state, confirmation }: ActionResult, name: string): string {
  const asked = `${verbWords[verb].asked} ${name}`;
  if (state === 'done')
    return confirmation === 'unconfirmed' ? `Not confirmed: ${asked}.` : `${verbWords[verb].done}: ${name}.`;
  if (state === 'unchanged') return `Nothing changed: ${name}.`;
  if (state === 'waiting') return `Waiting for approval: ${asked}.`;
  return `${state === 'failed' ? 'Could not' : 'Not sure: tried to'} ${asked}.`;
}
