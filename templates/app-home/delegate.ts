import type { KnownBlock, ModalView } from '@slack/types';
import { commandCode, serviceZone } from '../../src/core/installation.ts';
import { dayWords } from '../../src/limits/term.ts';
import type { Delegation } from '../../src/policy/policy.ts';
import { actionId, callbackId } from '../../src/slack/action-id.ts';
import type { Message } from '../../src/slack/message.ts';
import { mention, mentions } from '../../src/slack/mrkdwn.ts';
import { actions, button, headed, header, section, sentence } from '../core/blocks.ts';
import { input, modal } from '../core/form.ts';

/** Days such as `2026-12-24`. */
export type ShownDelegate = Omit<Delegation, 'for'>;

export interface DelegateFacts {
  /** Null when the approver has named nobody. */
  readonly current: ShownDelegate | null;
  /** The people that the policy lets approvers name. */
  readonly allowed: readonly string[];
}

/** `action_id` and `block_id` of each input. */
export const delegateInput = { to: 'to', from: 'from', until: 'until' } as const;

/**
 * This person's delegates, and a button to name one where the policy allows it. Nothing when there is neither.
 *
 * @param byPolicy whom the policy itself names.
 */
export function homeDelegate({ current, allowed }: DelegateFacts, byPolicy: readonly ShownDelegate[]): KnownBlock[] {
  if (current === null && allowed.length === 0 && byPolicy.length === 0) return [];
  const all = [...(current === null ? [] : [standsIn(current)]), ...byPolicy.map(policyDelegate)];
  return [
    header('While you are away'),
    section(...(all.length === 0 ? ['Nobody stands in for you.'] : all)),
    ...actions(
      allowed.length === 0 ? null : button({ text: 'Name a delegate…', action: actionId.nameDelegate, value: 'name' }),
      ...(current === null
        ? []
        : [button({ text: 'End now', action: actionId.endDelegation, value: 'end', label: 'End the delegation now' })]),
    ),
  ];
}

/** The form behind *Name a delegate*. */
export function delegateForm(allowed: readonly string[]): ModalView {
  return modal({
    callback: callbackId.delegate,
    title: 'Name a delegate',
    submit: 'Name delegate',
    blocks: [
      section(
        'Your delegate may approve and change what you may, and is mentioned with you. It goes on record.',
        `The policy lets you name ${mentions(allowed, 'or')}.`,
      ),
      input(delegateInput.to, 'Who', { type: 'users_select' }),
      input(delegateInput.from, 'First day', { type: 'datepicker' }),
      input(delegateInput.until, 'Last day', { type: 'datepicker' }),
    ],
  });
}

/** Names the new delegate, or says who is left. @param byPolicy whom the policy itself names. */
export function delegateSet(delegate: ShownDelegate | null, byPolicy: readonly ShownDelegate[]): Message {
  const none = byPolicy.length === 0 ? 'Nobody stands in for you.' : 'You have no delegate of your own.';
  const text = delegate === null ? none : standsIn(delegate);
  const undo = delegate === null ? null : `To end it earlier: ${commandCode('delegate off')}`;
  const others = byPolicy.map(policyDelegate);
  return { text: sentence(text, ...others), blocks: [section(`*${text}*`, ...others, undo)] };
}

/** `By the policy, @Ben stands in for you Dec 24, 2026 to Jan 2, 2027 (ET).` */
export function policyDelegate(delegate: ShownDelegate): string {
  return `By the policy, ${standsIn(delegate)}`;
}

function standsIn(delegate: ShownDelegate): string {
  return `${mention(delegate.to)} stands in for you ${daysOf(delegate)}.`;
}

/** For the person who was named: by whom, until when, and what it means. */
export function delegateNamed({ by, ...delegate }: ShownDelegate & { readonly by: string }): Message {
  const text = `${mention(by)} named you as their delegate, ${daysOf(delegate)}.`;
  const means =
    'In that time you may approve and change what they may, and you are mentioned with them. What you do is recorded under your name.';
  return headed(text, means);
}

/** For the delegate: it ended early. @param instead who was named instead; null: nobody. */
export function delegateEnded({ by, instead }: { readonly by: string; readonly instead: string | null }): Message {
  const text = `You no longer stand in for ${mention(by)}.`;
  const why = instead === null ? 'They ended it early.' : `They named ${mention(instead)} instead.`;
  return headed(text, why);
}

function daysOf({ from, until }: ShownDelegate): string {
  return `${dayWords(from)} to ${dayWords(until)} (${serviceZone().short})`;
}
