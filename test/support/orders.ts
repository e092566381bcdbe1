import { writeFile } from 'node:fs/promises';

/** Orders for a process (orders-preload.mjs). */
export interface Orders {
  readonly clockOffsetMs?: number;
  /** SIGKILL just before or just after writing matching bytes to a socket. Case insensitive. */
  readonly killAt?: { readonly pattern: string; readonly when: 'before' | 'after' };
  /** Freezes once for this long when writing matching bytes. */
  readonly freezeAt?: { readonly pattern: string; readonly seconds: number };
}

/** The file with the orders of one process. */
export interface OrderSheet {
  /** The environment with which a process obeys the orders. It reads them at startup and on each SIGUSR2. */
  readonly env: Readonly<Record<string, string>>;
  write(orders: Orders): Promise<void>;
}

const preload = new URL('./orders-preload.mjs', import.meta.url).href;

/** Creates an empty order sheet in `file`. */
export async function createOrderSheet(file: string): Promise<OrderSheet> {
  const write = (orders: Orders): Promise<void> => writeFile(file, JSON.stringify(orders));
  await write({});
  return { env: { NODE_OPTIONS: `--import=${preload}`, TEST_ORDERS: file }, write };
}
