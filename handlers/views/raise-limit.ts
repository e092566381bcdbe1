import { LimitPeriod, type Remedy } from '../../src/alert/alert.ts';
import { contradiction } from '../../src/alert/limit-change.ts';
import { parseAmount } from '../../src/alert/money.ts';
import { changeOf } from '../../src/alert/remedy-change.ts';
import type { RuleChange } from '../../src/alert/rule-change.ts';
import type { Verb } from '../../src/authority/action.ts';
import type { Wish } from '../../src/authority/wish.ts';
import type { Pending } from '../../src/store/pending.ts';
import type { ListenerDeps } from '../deps.ts';
import { type Inputs, inputsOf } from './inputs.ts';
import { expiredForm, ofForm, type ViewArgs } from './submission.ts';

type Form = Extract<Pending, { kind: 'form' }>;
type Errors = Parameters<Inputs['errors']>[0];

/** The form on a decline, submitted: what is wrong with the input is said beside it, all else is the worker's. */
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
    await ack();
    const { tell, ...submitted } = ofForm(body, form, deps);
    const target = { kind: 'alert', alertId: form.alertId } as const;
    await deps.requestAction({ ...submitted, ...read, target }, tell);
  };
}

type Read = { readonly errors: Errors } | { readonly verb: Verb; readonly wish?: Wish; readonly reason: string };

function readForm(inputs: Inputs, { remedy, rules }: Form): Read {
  const reason = inputs.text('reason');
  const said: Errors = reason === '' ? { reason: 'Say why, in a few words: it goes on record.' } : {};
  if (remedy?.kind === 'unblock') return reason === '' ? { errors: said } : { verb: 'unblock', reason };

  const term = inputs.term();
  if ('error' in term) said.day = term.error;
  const change = remedy === null || remedy.kind === 'raise_limit' ? limitOf(inputs, remedy) : changeOf(remedy, null, 0);
  if (change === null) said.amount = 'Write dollars such as 450 or 1,250.50.';
  if (change?.kind === 'limit' && rules !== null) {
    const against = contradiction(rules, { ...change, category: change.category?.id ?? null });
    if (against !== null) said.amount = against;
  }
  if (change === null || 'error' in term || Object.keys(said).length > 0) return { errors: said };
  return { verb: change.kind === 'limit' ? 'limit' : 'allow', wish: { change, term }, reason };
}

function limitOf(inputs: Inputs, remedy: Extract<Remedy, { kind: 'raise_limit' }> | null): RuleChange | null {
  const limitCents = parseAmount(inputs.text('amount'));
  const period = LimitPeriod.safeParse(inputs.choice('period'));
  if (limitCents === null) return null;
  const category = remedy?.category ?? null;
  return { kind: 'limit', period: period.success ? period.data : (remedy?.period ?? 'daily'), category, limitCents };
}
