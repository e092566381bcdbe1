import type { Verb } from '../../src/actions/action.ts';
import { LimitWindow, type Remedy } from '../../src/alerts/alert.ts';
import { parseAmount } from '../../src/core/money.ts';
import type { Pending } from '../../src/dispatch/pending-form-store.ts';
import type { ChangeRequest } from '../../src/limits/change-request.ts';
import { type CardLimits, contradiction, inOrder, limitAt } from '../../src/limits/limit-change.ts';
import { changeOf, type LimitToRaise, limitsToRaise } from '../../src/limits/remedy-change.ts';
import type { RuleChange } from '../../src/limits/rule-change.ts';
import {
  isOfLimits,
  type LimitPart,
  limitChange,
  limitsOf,
  namedPart,
  plannedOf,
} from '../../src/limits/rule-change.ts';
import { amountOf, formInput } from '../../templates/limits/form-inputs.ts';
import { remedyForm } from '../../templates/limits/remedy-form.ts';
import type { ListenerDeps } from '../deps.ts';
import { type Inputs, inputsOf } from '../dispatch/form-inputs.ts';
import { expiredForm, ofForm, type ViewArgs } from '../dispatch/submission.ts';

type Form = Extract<Pending, { kind: 'form' }>;
type Errors = Record<string, string>;

/**
 * The form on a decline, submitted: what is wrong with the input is said beside it, all else is the worker's.
 *
 * Where a limit would be above others that the form did not ask for, it asks for these as well: nothing is raised that
 * nobody has seen.
 */
export function raiseLimit(deps: ListenerDeps) {
  return async ({ ack, body, view }: ViewArgs): Promise<void> => {
    const inputs = inputsOf(view);
    const refuse = (errors: Errors) => ack({ response_action: 'errors', errors: inputs.errors(errors) });
    const form = await deps.pending.get(view.private_metadata);
    if (form?.kind !== 'form') {
      await refuse({ reason: expiredForm });
      return;
    }
    const read = readForm(inputs, form);
    if ('errors' in read) {
      await refuse(read.errors);
      return;
    }
    const alert = 'along' in read ? (await deps.alerts.get(form.alertId))?.alert : undefined;
    if ('along' in read && alert?.kind === 'transaction') {
      const { remedy } = form;
      const more = {
        privateMetadata: view.private_metadata,
        alert,
        remedy,
        state: 'along',
        typed: read.along,
      } as const;
      await ack({ response_action: 'update', view: remedyForm(more) });
      return;
    }
    await ack();
    const { notify, ...submitted } = ofForm(body, form, deps);
    const target = { kind: 'alert', alertId: form.alertId } as const;
    const { verb, changeRequest, reason } = read;
    await deps.requestAction({ ...submitted, verb, reason, ...(changeRequest && { changeRequest }), target }, notify);
  };
}

interface Asked {
  readonly verb: Verb;
  readonly changeRequest?: ChangeRequest;
  readonly reason: string;
}
type Read = { readonly errors: Errors } | Asked | (Asked & { readonly along: readonly LimitToRaise[] });

function readForm(inputs: Inputs, { remedy, rules }: Form): Read {
  const reason = inputs.text('reason');
  const said: Errors = reason === '' ? { reason: 'Say why, in a few words: it goes on record.' } : {};
  if (remedy?.kind === 'unblock') return reason === '' ? { errors: said } : { verb: 'unblock', reason };

  const term = inputs.term();
  if ('error' in term) said['day'] = term.error;
  const change =
    remedy === null || remedy.kind === 'raise_limit'
      ? limitsTyped(inputs, remedy, rules, said)
      : changeOf(remedy, null, 0);
  // Of a decline whose limit nobody could name, the worker finds out the category first.
  const known = remedy === null || change === null || !isOfLimits(change) ? null : rules;
  const planned = change === null ? [] : plannedOf(change);
  const along = known === null ? [] : inOrder(known, planned).slice(planned.length);
  if (known !== null && change !== null) {
    const against = contradiction(known, [...planned, ...along]);
    if (against !== null) said[change.kind === 'limits' ? amountOf(against.change) : formInput.amount] = against.why;
  }
  if (change === null || 'error' in term || Object.keys(said).length > 0) return { errors: said };
  const changeRequest: ChangeRequest = { change, term, ...(remedy === null && { isCategoryUnknown: true }) };
  const asked = { verb: isOfLimits(change) ? 'limit' : 'allow', changeRequest, reason } as const;
  if (known === null || along.length === 0) return asked;
  const typed = limitsOf(change).map((part) => toRaise(part, known, false));
  return { ...asked, along: [...typed, ...along.map((one) => toRaise(namedPart(one, known), known, true))] };
}

function toRaise({ period, category, limitCents }: LimitPart, rules: CardLimits, isAlong: boolean): LimitToRaise {
  const currentCents = limitAt(rules, { period, category: category?.id ?? null });
  return { period, category, currentCents, remainingCents: null, suggestedCents: limitCents, isAlong };
}

/**
 * The limits as typed: one with its window, or several of which those left empty stay as they are.
 *
 * @param said gets what is wrong, by the input that it is about.
 */
function limitsTyped(
  inputs: Inputs,
  remedy: Extract<Remedy, { kind: 'raise_limit' }> | null,
  rules: CardLimits | null,
  said: Errors,
): RuleChange | null {
  const asked = inputs.amounts();
  if (asked.length === 0) return limitTyped(inputs, remedy, said);
  const parts = asked.flatMap(({ action, place, text }): LimitPart[] => {
    const limitCents = parseAmount(text);
    if (limitCents === null && text !== '') said[action] = unclearAmount;
    return limitCents === null ? [] : [partOf({ ...place, limitCents }, remedy, rules)];
  });
  const [first, ...others] = parts;
  if (first === undefined) {
    said[asked[0]?.action ?? ''] ??= unclearAmount;
    return null;
  }
  return limitChange([first, ...others]);
}

const unclearAmount = 'Write dollars such as 450 or 1,250.50.';

function limitTyped(
  inputs: Inputs,
  remedy: Extract<Remedy, { kind: 'raise_limit' }> | null,
  said: Errors,
): RuleChange | null {
  const limitCents = parseAmount(inputs.text(formInput.amount));
  const period = LimitWindow.safeParse(inputs.choice(formInput.period));
  if (limitCents === null) {
    said[formInput.amount] = unclearAmount;
    return null;
  }
  const category = remedy?.category ?? null;
  return { kind: 'limit', period: period.success ? period.data : (remedy?.period ?? 'daily'), category, limitCents };
}

/** Its category by name: from what the form shows, or from the card's rules. */
function partOf(
  planned: Parameters<typeof namedPart>[0],
  remedy: Extract<Remedy, { kind: 'raise_limit' }> | null,
  rules: CardLimits | null,
): LimitPart {
  const shown = remedy === null ? [] : limitsToRaise(remedy);
  const known = shown.find(({ category }) => category !== null && category.id === planned.category);
  if (known !== undefined) return { ...planned, category: known.category };
  return namedPart(planned, rules ?? { categories: [] });
}
