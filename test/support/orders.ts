import { writeFile } from 'node:fs/promises';

/** What a process is told to do; see orders-preload.mjs. */
export interface Orders {
  readonly clockOffsetMs?: number;
  /** SIGKILL just before or just after it writes bytes to a socket that match, whatever their case. */
  readonly killAt?: { readonly pattern: string; readonly when: 'before' | 'after' };
  /** Stands still for so long just after it writes bytes that match, once. */
  readonly freezeAt?: { readonly pattern: string; readonly seconds: number };
}

/** Where the orders of one process lie. */
export interface OrderSheet {
  /** With this environment a process obeys them. It reads them when it starts, and again at each SIGUSR2. */
  readonly env: Readonly<Record<string, string>>;
  write(orders: Orders): Promise<void>;
}

const preload = new URL('./orders-preload.mjs', import.meta.url).href;

/** An empty sheet in `file`. */
export async function createOrderSheet(file: string): Promise<OrderSheet> {
  const write = (orders: Orders): Promise<void> => writeFile(file, JSON.stringify(orders));
  await write({});
  return { env: { NODE_OPTIONS: `--import=${preload}`, TEST_ORDERS: file }, write };
}
