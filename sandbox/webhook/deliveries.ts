import { toCallbackTime } from '../service-time.ts';
import type { WebhookKind } from './kind.ts';
import type { Delivery, DeliveryMischief, DeliveryRecord, WebhookBody } from './outbox.ts';
import { isAccepted, type Sender, type SendOutcome } from './sender.ts';
import { signed } from './version.ts';

interface Deps {
  readonly urlOf: (kind: WebhookKind) => string | undefined;
  readonly send: Sender;
  readonly version: string;
  readonly retrySeconds: readonly number[];
  readonly timeScale: number;
  readonly now: () => Date;
  readonly nextTick: () => number;
  readonly enqueue: (id: string, deliveryId: string, delayMs: number) => Promise<void>;
  readonly onError: (error: Error) => void;
}

export interface Deliveries {
  readonly records: DeliveryRecord[];
  readonly mischief: DeliveryMischief;
  readonly emit: (kind: WebhookKind, data: object, orderKey: string, url?: string) => void;
  /** One attempt, started by the queue. */
  readonly attempt: (deliveryId: string) => Promise<void>;
  /** Switches the outage on or off. Returns how many webhooks are, or were, stored. */
  outage(on: boolean): number;
  /** Sends the latest webhook of a kind (or of any kind) again. */
  repeat(kind?: WebhookKind): boolean;
  /** Webhooks neither accepted nor dropped yet. */
  readonly pending: () => number;
  /** Releases webhooks that wait to be reordered. */
  flush(): void;
}

/** The first webhook of a millisecond has smaller last digits. The others of that millisecond have room behind them. */
const TICKS_START_MAX = 5000;

/** Webhook delivery according to the specification: attempts, schedule, outage, and misbehavior on demand. */
export function createDeliveries(deps: Deps): Deliveries {
  const outbox = new Map<string, Delivery>();
  const records: DeliveryRecord[] = [];
  const mischief: DeliveryMischief = { copies: 1, reorder: 1 };
  const latest = new Map<WebhookKind | 'any', Delivery>();
  const inOrder = createSequencer();
  let isOut = false;
  /** What came due in the outage. */
  const due = new Set<Delivery>();
  let batch: Delivery[] = [];
  let last = { ms: 0, ticks: 0 };
  let serial = 0;
  const nextSerial = (): number => {
    serial += 1;
    return serial;
  };

  function enqueue(delivery: Delivery, delayMs = 0): void {
    outbox.set(delivery.id, delivery);
    // The job id names the attempt: Redis may accept the same add twice but runs it once.
    const jobId = `${delivery.id}-${delivery.attempts}-${nextSerial()}`;
    // Added only when it may start: a job that waits for others would keep them from starting.
    inOrder
      .turn(delivery.id)
      .then(() => deps.enqueue(jobId, delivery.id, delayMs))
      .catch(deps.onError);
  }

  function start(delivery: Delivery): void {
    if (mischief.reorder <= 1) {
      inOrder.register(delivery.orderKey, delivery.id);
      enqueue(delivery);
      return;
    }
    batch.push(delivery);
    if (batch.length >= mischief.reorder) flush();
  }

  function flush(): void {
    const waiting = batch.reverse();
    batch = [];
    // Registered under one key in reversed order, so that they also arrive in that order.
    for (const delivery of waiting) inOrder.register('reordered', delivery.id);
    for (const delivery of waiting) enqueue(delivery);
  }

  async function attempt(deliveryId: string): Promise<void> {
    const delivery = outbox.get(deliveryId);
    if (delivery === undefined) return;
    if (isOut) {
      // Those after it keep waiting: the first attempt is still to come.
      due.add(delivery);
      return;
    }
    delivery.attempts += 1;
    const at = deps.now();
    const startedMs = performance.now();
    const { status, error } = await deps.send(delivery.url, delivery.rawBody).catch(failure);
    inOrder.done(deliveryId);

    const isTaken = isAccepted({ status });
    const waitSeconds = isTaken ? undefined : deps.retrySeconds[delivery.attempts - 1];
    const { id, kind, url, body, rawBody, attempts } = delivery;
    const dropped = !isTaken && waitSeconds === undefined;
    const durationMs = performance.now() - startedMs;
    records.push({ id, kind, url, body, rawBody, attempt: attempts, status, error, at, durationMs, dropped });
    if (waitSeconds === undefined) outbox.delete(id);
    else enqueue(delivery, (waitSeconds * 1000) / deps.timeScale);
  }

  return {
    records,
    mischief,
    attempt,
    flush,
    emit(kind, data, orderKey, url = deps.urlOf(kind)) {
      if (url === undefined) return;
      const at = deps.now();
      const ms = at.getTime();
      // Counts on within a millisecond: the last four digits may start again only in another one.
      last = { ms, ticks: ms === last.ms ? last.ticks + 1 : deps.nextTick() % TICKS_START_MAX };
      const CallbackTime = toCallbackTime(at, last.ticks);
      const body = { CallbackTime, Data: signed(data, deps.version) as WebhookBody['Data'] };
      const rawBody = JSON.stringify(body);
      for (let copy = 0; copy < mischief.copies; copy += 1) {
        const id = `webhook-${nextSerial()}`;
        const delivery: Delivery = {
          id,
          kind,
          url,
          body: JSON.parse(rawBody) as WebhookBody,
          rawBody,
          orderKey,
          attempts: 0,
        };
        latest.set(kind, delivery).set('any', delivery);
        start(delivery);
      }
    },
    outage(on) {
      if (!on && !isOut) return 0;
      isOut = on;
      // Also those that wait behind others, or are still in the queue.
      const stored = [...outbox.values()].filter((each) => each.attempts === 0 || due.has(each));
      if (on) return stored.length;
      for (const delivery of due) enqueue(delivery);
      due.clear();
      return stored.length;
    },
    repeat(kind) {
      const delivery = latest.get(kind ?? 'any');
      if (delivery === undefined) return false;
      enqueue({ ...delivery, id: `webhook-${nextSerial()}`, attempts: 0 });
      return true;
    },
    pending: () => outbox.size + batch.length,
  };
}

/** The outcome of an attempt that could not even begin. */
function failure(error: NodeJS.ErrnoException): SendOutcome {
  return { status: null, error: error.code ?? error.message };
}

/**
 * Keeps first attempts with the same key in order of creation.
 *
 * The queue starts jobs in order but runs many at once. Without this, ACTIVE and BLOCKED of one card could overtake
 * each other. Only first attempts wait: a retry may come at any time, as with the real service.
 */
function createSequencer() {
  const tails = new Map<string, Promise<void>>();
  const turns = new Map<string, { before: Promise<void>; release: () => void }>();

  return {
    register(key: string, id: string): void {
      const before = tails.get(key) ?? Promise.resolve();
      let release: () => void = () => {};
      const mine = new Promise<void>((resolve) => {
        release = resolve;
      });
      const tail = before.then(() => mine);
      tails.set(key, tail);
      turns.set(id, { before, release });
      void tail.then(() => {
        if (tails.get(key) === tail) tails.delete(key);
      });
    },
    /** Resolves when everything registered earlier has had its first attempt. */
    async turn(id: string): Promise<void> {
      await turns.get(id)?.before;
    },
    done(id: string): void {
      turns.get(id)?.release();
      turns.delete(id);
    },
  };
}
