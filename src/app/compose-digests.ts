import { type ControllersRows, digestCsv, type PersonNames } from '../../templates/digests/digest-csv.ts';
import type { TransactionAlert } from '../alerts/alert.ts';
import { declineReason } from '../alerts/decline-reason.ts';
import { readCardState } from '../app-home/card-state-store.ts';
import { inactiveCards, ownCards } from '../app-home/home-facts.ts';
import { createSendOwnDigests, ownDigestsDueMs } from '../app-home/send-own-digests.ts';
import { nobody } from '../audit/audit-record.ts';
import { contentId } from '../core/content-id.ts';
import { StoreUnavailableError } from '../core/errors.ts';
import { createLock } from '../core/lock.ts';
import { approvedChanges } from '../digests/approved-changes.ts';
import { openExceptions } from '../digests/open-exceptions.ts';
import { createSendDigest } from '../digests/send-digest.ts';
import { createTallies, type Tallies } from '../digests/tally-store.ts';
import { createQuietLeft } from '../routing/held-until.ts';
import { createIsCounted } from './is-counted.ts';
import type { WorkerContext } from './worker-context.ts';

/**
 * The file is named after its digest, because it is found by its name. Another program's digest may have the same id in the
 * same channel, so all programs but the first add theirs.
 */
function fileForController(program: string, id: string, content: string) {
  const file = {
    name: `cardbell-${contentId('', program === '' ? [id] : [program, id])}.csv`,
    title: 'Declines, approvals and exceptions.csv',
    content,
  };
  return { file, comment: 'The same for the controller, as a table for any spreadsheet.' };
}

/** Digests: counting for them, and sending them. */
export function composeDigests(context: WorkerContext) {
  const tallies = createTallies(context.redis, context.now);
  const sendDigest = composeSendDigest(context, tallies);
  const sendOwnDigests = composeOwnDigests(context);
  const isCounted = createIsCounted(context);
  return {
    sendDigest,

    /** Each channel's digest is a separate job with its own retries. One that must wait is due again at the next call. */
    async sendDigests(): Promise<void> {
      for (const due of await sendDigest.due())
        if (await isCounted(due.dueMs)) await context.enqueue('send-digest', due);
      if (await isCounted(ownDigestsDueMs(context.config.serviceZone, context.now()))) await sendOwnDigests();
    },

    async countDecline({ event, card, remedy }: Pick<TransactionAlert, 'event' | 'card' | 'remedy'>) {
      const reason = declineReason(event.decline ?? { code: '', message: '' }, remedy, card);
      await tallies.count({ event, reason, group: card.group });
    },
  };
}

/** Spreadsheets cannot show mentions. People whom Slack does not name now are listed by id. */
async function personNames(
  { approvals, open }: ControllersRows,
  { person }: Pick<WorkerContext, 'person'>,
): Promise<PersonNames> {
  const ids = new Set([...approvals.flatMap(({ approvedBy }) => approvedBy), ...open.map(({ by }) => by)]);
  return new Map(
    await Promise.all(
      [...ids].map(async (id) => [id, (await person(id).catch(() => null))?.name?.trim() || null] as const),
    ),
  );
}

function composeSendDigest(context: WorkerContext, tallies: Tallies) {
  const { directory, audit } = context;
  // Remembered for the same reason as a notice.
  const outbox = context.lastingOutbox;
  return createSendDigest({
    ...context,
    tallies,
    exceptions: {
      approved: (fromMs, toMs) => approvedChanges(audit, fromMs, toMs),
      open: () => openExceptions(context),
      inactive: () => inactiveCards(directory),
    },
    async post(channel, id, { message, elsewhere, rows }) {
      const csv = rows === null ? null : digestCsv(rows, await personNames(rows, context));
      await outbox.put(channel, { kind: 'notice', id, message, elsewhere });
      if (csv === null) return;
      const file = fileForController(context.config.program, id, csv);
      await outbox.put(channel, { kind: 'file', id: `${id}-csv`, ...file });
    },
    record: (channel, id, detail) => digestOnRecord(context, { id, channel, detail }),
  });
}

function composeOwnDigests(context: WorkerContext): () => Promise<void> {
  const { redis, card, directory, log } = context;
  const tryLock = createLock(redis, { maxWaitMs: 0, log });
  /** At 9:00 everybody's cards are read: people who press buttons, and alerts, must not wait for them. */
  const inBackground =
    <Args extends readonly unknown[], Answer>(call: (...args: Args) => Promise<Answer>) =>
    async (...args: Args): Promise<Answer> => {
      await directory.waitForQuota();
      return await call(...args);
    };
  const patient = {
    getAccount: inBackground(card.getAccount),
    getSpendRules: inBackground(card.getSpendRules),
    getRemainingLimits: inBackground(card.getRemainingLimits),
  };
  const stateOf = (acctId: number) => readCardState(acctId, { ...context, card: patient });
  const sendOwnDigests = createSendOwnDigests({
    ...context,
    preferences: { ...context.preferences, quietLeftMs: createQuietLeft(context, Infinity) },
    ownCards: (userId, page) => ownCards(userId, { page, perPage: 12 }, { ...context, stateOf }),
    sent: { ...context.warned, ...context.shownDeclines },
    record: (userId, id, detail) => digestOnRecord(context, { id, channel: null, detail: `${detail}, for ${userId}` }),
    zone: context.config.serviceZone,
  });
  return async () => {
    let isOurs = false;
    try {
      await tryLock('own-digests', async () => {
        isOurs = true;
        await sendOwnDigests();
      });
    } catch (error) {
      // Without the lock, an earlier run is still sending them.
      if (isOurs || !(error instanceof StoreUnavailableError)) throw error;
    }
  };
}

/** A digest shows card data to its readers, so it goes on record. Safe to repeat. */
async function digestOnRecord(
  { audit, now }: Pick<WorkerContext, 'audit' | 'now'>,
  given: { readonly id: string; readonly channel: string | null; readonly detail: string },
): Promise<void> {
  const { id, channel, detail } = given;
  const at = now().toISOString();
  await audit.append({ ...nobody, at, actionId: id, event: 'done', verb: 'digest', channel, detail });
}
