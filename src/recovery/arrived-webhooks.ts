import { z } from 'zod';
import { FETCHED_PATH, type QuarantinedWebhook, type TransactionEvent } from '../core/event.ts';
import { readIdentifier } from '../webhooks/payload.ts';

/** A fetched network transaction, readable or not. */
type Fetched = TransactionEvent | QuarantinedWebhook;

const PAGE = 100;

const Data = z.object({ NetworkTransactionId: z.union([z.string(), z.int()]), NetworkType: z.string() });
const Body = z.object({ Data });

interface Deps {
  readonly count: () => Promise<number>;
  /** Newest first. */
  readonly list: (limit: number, from: number) => Promise<readonly QuarantinedWebhook[]>;
}

/**
 * Tells of which fetched network transactions the webhook has arrived and is in quarantine. They were not missed, and are
 * not kept aside once more.
 */
export type ReadArrived = () => Promise<(fetched: Fetched) => boolean>;

export function createReadArrived({ count, list }: Deps): ReadArrived {
  return async function readArrived() {
    const arrived = new Set<string | null>();
    for (let from = 0; from < (await count()); from += PAGE)
      for (const webhook of await list(PAGE, from)) if (webhook.path !== FETCHED_PATH) arrived.add(stepOf(webhook));
    arrived.delete(null);
    return (fetched) => arrived.has(stepOf(fetched));
  };
}

interface Counts {
  readonly recovered: number;
  readonly arrived: number;
  readonly unreadable: number;
}

/** How many events of a recovery had no webhook. */
export function missedIn({ recovered, arrived, unreadable }: Counts): number {
  return recovered - arrived + unreadable;
}

/** The step of a purchase that it is about. Null: it cannot be told. */
function stepOf(fetched: Fetched): string | null {
  if ('networkTransactionId' in fetched) return wordsOf(fetched.networkTransactionId, fetched.networkType);
  const data =
    fetched.path === FETCHED_PATH ? Data.safeParse(fetched.body).data : Body.safeParse(fetched.body).data?.Data;
  return data === undefined ? null : wordsOf(readIdentifier(data.NetworkTransactionId), data.NetworkType);
}

function wordsOf(id: string, networkType: string): string {
  return `${id} ${networkType.trim().toLowerCase()}`;
}
