import { respondedBefore } from '../../templates/alerts/seen.ts';
import { fraudCaseClosed, fraudNotice } from '../../templates/holders/fraud-notice.ts';
import { alertIdOf, type Resolved } from '../actions/action.ts';
import type { ActionRun, ActionTools, Responses, Rights } from '../actions/action-tools.ts';
import { whoElse } from '../actions/ask-others.ts';
import type { BlockAction } from '../actions/verbs.ts';
import { contentId } from '../core/content-id.ts';
import { within } from '../core/deadline.ts';
import type { TransactionEvent } from '../core/event.ts';
import type { ReadTransactions } from '../directory/read-transactions.ts';
import { tooOld } from '../directory/resolve-card.ts';
import { type Alert, FraudCaseAlert, type TransactionAlert } from './alert.ts';
import type { Alerts } from './alert-store.ts';
import { addedCaseId, type FraudCases } from './fraud-case-store.ts';
import { latestPurchases } from './latest-purchases.ts';
import { withAlert } from './respond-to-alert.ts';
import type { CloseFraudCaseAction } from './verbs.ts';

const LOOK_BACK_MS = 7 * 24 * 3_600_000;
/** Operators are notified immediately, so purchases that the card service returns later than this are left out. */
const PURCHASES_MS = 2500;

interface Deps extends Pick<ActionTools, 'factsOf' | 'record' | 'outcomes' | 'notifyDirectly' | 'withLock' | 'now'> {
  readonly responses: Pick<Responses, 'answer' | 'refuse'>;
  readonly rights: Pick<Rights, 'authorize' | 'whoMay'>;
  readonly alerts: Pick<Alerts, 'get' | 'save'>;
  readonly fraudCases: FraudCases;
  /** Who holds a card. */
  readonly links: { readonly ofAccount: (acctId: number) => Promise<{ readonly userId: string } | null> };
  readonly announce: (alert: Alert) => Promise<void>;
  readonly readTransactions: ReadTransactions;
  /** Blocks the card of an action, once. @throws CardApiError when the job should run again. */
  readonly block: (resolved: Resolved<BlockAction>, run: ActionRun) => Promise<void>;
}

/** What follows when a cardholder did not make a purchase. */
export function createFraudCaseVerbs(deps: Deps) {
  const { alerts, fraudCases, record, responses, outcomes } = deps;
  const openCase = createOpenCase(deps);
  return {
    /**
     * Blocks a card. *It wasn't me* also opens a case and notifies the operators and the holder in parallel, so neither
     * waits when the card service does not answer. Another purchase is added to the open case and both are notified again.
     * Idempotent: a second press for the same purchase notifies nobody.
     */
    async block(resolved: Resolved<BlockAction>, run: ActionRun): Promise<void> {
      // One report at a time, so that the second of two presses finds the first.
      const opening =
        resolved.action.isFraud === true
          ? await deps.withLock(`fraud-report:${resolved.acctId}`, () => report(resolved))
          : null;
      const results = await Promise.allSettled([opening?.(), deps.block(resolved, run)]);
      for (const result of results) if (result.status === 'rejected') throw result.reason;
    },

    /** The card stays as it is. Its later events are no longer collected. */
    async closeFraudCase(action: CloseFraudCaseAction): Promise<void> {
      const caseId = action.target.alertId;
      await withAlert(deps, action, async (open) => {
        if (open.kind !== 'fraud-case') return await responses.refuse(action, tooOld());
        const { acctId } = open.event;
        const by = action.actor.userId;
        const earlier = open.outcomes.find(({ verb }) => verb === 'close-case');
        if (earlier !== undefined && earlier.by !== by) {
          await record(action, { event: 'unchanged', acctId });
          return await deps.responses.answer(action, respondedBefore('close-case', earlier.by));
        }
        if (earlier === undefined) {
          const line = { did: 'closed the fraud case of', card: open.card };
          await record(action, { event: 'done', acctId, cardId: open.card.cardId, detail: caseId, line });
        }
        await fraudCases.close(acctId, caseId);
        const outcome = { verb: 'close-case', by, at: deps.now().toISOString(), state: 'done', text: '' } as const;
        await outcomes.show(caseId, action.id, earlier ?? outcome);
        const card = await deps.factsOf(acctId, open.card);
        await deps.notifyDirectly(open.reported.by, `fraud-closed-${caseId}`, fraudCaseClosed({ card, by }));
      });
    },
  };

  /**
   * Audits the holder's report. @returns a function that opens the case or adds to it; null when there is nobody to notify.
   */
  async function report({ action, acctId, cardId }: Resolved<BlockAction>): Promise<(() => Promise<void>) | null> {
    const alert = await alerts.get(alertIdOf(action) ?? '');
    const { userId } = action.actor;
    // Anyone else who sees the message only blocks the card.
    if (alert?.kind !== 'transaction' || (await deps.links.ofAccount(acctId))?.userId !== userId) return null;
    const ownId = contentId('evt_', ['fraud-case', action.id]);
    const own = await fraudCases.ofReport(ownId);
    const earlier = own?.caseId ?? (await fraudCases.openOf(acctId));
    const isReported = earlier !== null && (await fraudCases.ofAlert(alert.event.id)) === earlier;
    const detail = `fraud case ${earlier ?? ownId}`;
    const line = { did: 'reported a purchase as fraud with', card: alert.card };
    await record(action, { event: 'asked', begins: true, acctId, cardId, detail, ...(!isReported && { line }) });
    const open = own ?? (await fraudCases.open(acctId, ownId, alert.event.id));
    const joins = open.caseId === ownId ? null : open.caseId;
    if (joins !== null && open.alertId === alert.event.id) return null;
    const id = joins === null ? ownId : addedCaseId(joins, alert.event.id);
    return async () => {
      // The case lasts longer now, and so must its alert, which has the button that closes it.
      const joined = joins === null ? null : await alerts.get(joins);
      if (joined !== null) await alerts.save(joined);
      const known = await alerts.get(id);
      await deps.announce(known?.kind === 'fraud-case' ? known : await openCase(action, alert, { id, joins }));
    };
  }
}

/** Notifies the holder and builds the case for the operators. */
function createOpenCase(deps: Deps) {
  return async function openCase(
    action: BlockAction,
    { event, card }: TransactionAlert,
    { id, joins }: { readonly id: string; readonly joins: string | null },
  ): Promise<FraudCaseAlert> {
    const by = action.actor.userId;
    const at = action.askedAt;
    // Whoever holds the card need not be asked to check with its holder.
    const operators = await whoElse(action, 'operator', card.group ?? null, deps);
    const purchases = await purchasesOf(event);
    const added = joins === null ? null : event;
    await deps.notifyDirectly(by, `fraud-${id}`, fraudNotice({ card, operators, added }));
    const reported = { verb: 'report-fraud', by, at, state: 'done', text: '', asHolder: true } as const;
    await deps.outcomes.show(event.id, id, reported);
    return FraudCaseAlert.parse({
      kind: 'fraud-case',
      event: { ...event, id },
      card,
      outcomes: [],
      late: false,
      alertId: event.id,
      joins,
      reported: { by, at },
      operators,
      purchases,
    });
  };

  /** Null: the card service gave no answer in time that can be read. */
  async function purchasesOf({ acctId }: TransactionEvent): Promise<FraudCaseAlert['purchases']> {
    const to = deps.now();
    const from = new Date(to.getTime() - LOOK_BACK_MS);
    const read = await within(PURCHASES_MS, deps.readTransactions(acctId, { from, to }), () => null);
    if (read === null) return null;
    return latestPurchases(read.events).map(({ occurredAt, amountCents, merchant }) => ({
      at: occurredAt,
      amountCents,
      merchant: merchant.name,
    }));
  }
}
