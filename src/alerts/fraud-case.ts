import type { z } from 'zod';
import { fraudCaseClosed, fraudNotice } from '../../templates/holders/fraud-notice.ts';
import { alertIdOf, type Resolved } from '../actions/action.ts';
import type { Outcome } from '../actions/action-state.ts';
import type { ActionRun, ActionTools, Rights } from '../actions/action-tools.ts';
import { othersAllowed } from '../actions/ask-others.ts';
import type { OutcomesOnAlerts } from '../actions/report.ts';
import type { BlockAction } from '../actions/verbs.ts';
import { contentId } from '../core/content-id.ts';
import { within } from '../core/deadline.ts';
import type { TransactionEvent } from '../core/event.ts';
import type { ReadTransactions } from '../directory/read-transactions.ts';
import { tooOld } from '../directory/resolve-card.ts';
import { type Alert, FraudCaseAlert, type TransactionAlert } from './alert.ts';
import { type Alerts, alertsOfKind } from './alert-store.ts';
import type { CardHistory } from './card-history.ts';
import { addedCaseId, type FraudCases } from './fraud-case-store.ts';
import { latestPurchases, PURCHASES_SHOWN } from './latest-purchases.ts';
import { type AlertDeps, answerUnlessShown, withAlert } from './respond-to-alert.ts';
import type { CloseFraudCaseAction } from './verbs.ts';

const LOOK_BACK_MS = 7 * 24 * 3_600_000;
/** Operators are notified immediately, so purchases that the card service returns later than this are left out. */
const PURCHASES_MS = 2500;

interface HolderLinks {
  /** Who holds a card; null: nobody is linked to it. */
  readonly ofAccount: (acctId: number) => Promise<{ readonly userId: string } | null>;
}

interface BlockDeps extends Pick<ActionTools, 'record' | 'withLock' | 'now'> {
  readonly alerts: Pick<Alerts, 'get' | 'save'>;
  readonly fraudCases: Pick<FraudCases, 'ofAlert' | 'ofReport' | 'open' | 'openOf'>;
  readonly links: HolderLinks;
  readonly openCase: ReturnType<typeof createOpenCase>;
  /** Blocks the card of an action, once. @throws CardApiError when the job should run again. */
  readonly block: (resolved: Resolved<BlockAction>, run: ActionRun) => Promise<void>;
}

/**
 * Blocks a card. *It wasn't me* also opens a case and notifies the operators and the holder in parallel, so neither
 * waits when the card service does not answer. Another purchase is added to the open case and both are notified again.
 * Idempotent: a second press for the same purchase notifies nobody.
 */
export function createBlockAndReport(deps: BlockDeps) {
  const { alerts, fraudCases, record } = deps;

  return async function blockAndReport(resolved: Resolved<BlockAction>, run: ActionRun): Promise<void> {
    // One report at a time, so that the second of two presses finds the first.
    const opening =
      resolved.action.isFraud === true
        ? await deps.withLock(`fraud-report:${resolved.acctId}`, () => report(resolved))
        : null;
    const results = await Promise.allSettled([opening?.(), deps.block(resolved, run)]);
    for (const result of results) if (result.status === 'rejected') throw result.reason;
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
    const known = await alerts.get(id);
    // The case lasts longer now, and so must its alert, which has the button that closes it.
    const joined = joins === null ? null : await alerts.get(joins);
    if (joined?.kind === 'fraud-case')
      await alerts.save(known === null ? { ...joined, addedAt: deps.now().toISOString() } : joined);
    return () => deps.openCase(action, alert, { id, joins, known });
  }
}

interface OpenDeps extends Pick<ActionTools, 'notifyDirectly' | 'now'> {
  readonly outcomes: Pick<OutcomesOnAlerts, 'show'>;
  readonly rights: Pick<Rights, 'whoMay'>;
  readonly readTransactions: ReadTransactions;
  readonly announce: (alert: Alert) => Promise<void>;
}

type Purchases = Pick<z.input<typeof FraudCaseAlert>, 'purchases' | 'morePurchases' | 'unreadable'>;

interface Opened {
  readonly id: string;
  readonly joins: string | null;
  /** What an earlier attempt stored; null: nothing. */
  readonly known: Alert | null;
}

/** Notifies the holder, and announces the case to the operators. Idempotent. */
export function createOpenCase(deps: OpenDeps) {
  return async function openCase(action: BlockAction, alert: TransactionAlert, opened: Opened): Promise<void> {
    const { known } = opened;
    await deps.announce(known?.kind === 'fraud-case' ? known : await buildCase(action, alert, opened));
  };

  async function buildCase(
    action: BlockAction,
    { event, card }: TransactionAlert,
    { id, joins }: Opened,
  ): Promise<FraudCaseAlert> {
    const by = action.actor.userId;
    const at = action.askedAt;
    // Whoever holds the card need not be asked to check with its holder.
    const operators = await othersAllowed(action, 'operator', card.group ?? null, deps);
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
      ...purchases,
    });
  }

  async function purchasesOf({ acctId }: TransactionEvent): Promise<Purchases> {
    const to = deps.now();
    const from = new Date(to.getTime() - LOOK_BACK_MS);
    const read = await within(PURCHASES_MS, deps.readTransactions(acctId, { from, to }), () => null);
    const { events, unreadable } = read ?? { events: [], unreadable: 0 };
    const all = latestPurchases(events);
    if (read === null || (all.length === 0 && unreadable > 0)) return { purchases: null };
    const purchases = all.slice(0, PURCHASES_SHOWN).map(({ occurredAt, amountCents, merchant }) => ({
      at: occurredAt,
      amountCents,
      merchant: merchant.name,
    }));
    return { purchases, morePurchases: all.length - purchases.length, unreadable };
  }
}

interface CloseDeps extends AlertDeps, Pick<ActionTools, 'outcomes' | 'now'> {
  readonly endCase: ReturnType<typeof createEndCase>;
}

/** Whoever closes a case may not have seen the message about a purchase that was added to it so shortly before. */
const UNSEEN_MS = 60_000;
const addedSince = {
  why: 'Another purchase was added to this case within the last minute.',
  whoCan: 'Look at it in the thread of the case, then press *Close the case* again.',
} as const;

/** The card stays as it is. Its later events are no longer collected. */
export function createCloseFraudCase(deps: CloseDeps) {
  return async function closeFraudCase(action: CloseFraudCaseAction): Promise<void> {
    await withAlert(deps, action, 'close-case', async (open, earlier) => {
      if (open.kind !== 'fraud-case') return await deps.responses.refuse(action, tooOld());
      const { acctId, id } = open.event;
      const by = action.actor.userId;
      if (earlier === undefined) {
        const isUnseen = Date.parse(action.askedAt) - Date.parse(open.addedAt ?? '') < UNSEEN_MS;
        if (isUnseen) return await deps.responses.refuse(action, addedSince);
        const line = { did: 'closed the fraud case of', card: open.card };
        await deps.record(action, { event: 'done', acctId, cardId: open.card.cardId, detail: id, line });
      }
      const outcome = { verb: 'close-case', by, at: deps.now().toISOString(), state: 'done', text: '' } as const;
      await deps.endCase(open, action, earlier ?? outcome);
      await answerUnlessShown(deps, action, 'close-case', open);
    });
  };
}

interface EndDeps extends Pick<ActionTools, 'factsOf' | 'notifyDirectly' | 'updateAlert'> {
  readonly alerts: Pick<Alerts, 'get' | 'save'>;
  readonly fraudCases: Pick<FraudCases, 'close' | 'openOf'>;
  readonly links: HolderLinks;
  readonly history: Pick<CardHistory, 'alertsBetween'>;
  readonly outcomes: Pick<OutcomesOnAlerts, 'show'>;
}

/** Ends a case that somebody has closed, shows it, and notifies the card's holder. Idempotent. */
export function createEndCase(deps: EndDeps) {
  const { alerts, fraudCases, history, updateAlert } = deps;
  return async function endCase(closed: FraudCaseAlert, action: CloseFraudCaseAction, outcome: Outcome): Promise<void> {
    const { acctId, id } = closed.event;
    await fraudCases.close(acctId, id);
    await deps.outcomes.show(id, action.id, outcome);
    await allowUnblocking(acctId);
    // Whoever reported it may hold the card no longer.
    const holder = await deps.links.ofAccount(acctId);
    if (holder === null) return;
    const message = fraudCaseClosed({ card: await deps.factsOf(acctId, closed.card), by: action.actor.userId });
    await deps.notifyDirectly(holder.userId, `fraud-closed-${id}`, message);
  };

  /** Without an open case approvers may unblock the card, so the alerts of its declines no longer say to order a new one. */
  async function allowUnblocking(acctId: number): Promise<void> {
    if ((await fraudCases.openOf(acctId)) !== null) return;
    const ids = await history.alertsBetween(acctId, 'declines', 0, Number.MAX_SAFE_INTEGER);
    for (const decline of await alertsOfKind('transaction', ids, alerts)) {
      const { event, remedy } = decline;
      if (remedy?.kind !== 'unblock' || remedy.hasFraudCase !== true) continue;
      await alerts.save({ ...decline, remedy: { kind: 'unblock' } });
      await updateAlert(event.id);
    }
  }
}
