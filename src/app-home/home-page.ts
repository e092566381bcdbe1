import { z } from 'zod';

/** The lists of App Home that can be longer than one page. */
const HomeList = z.enum(['cards', 'own-requests', 'requests', 'claims', 'changes', 'mutes', 'declines', 'inactive']);
export type HomeList = z.infer<typeof HomeList>;

/** Someone turned to a page of one list. Pages count from 1. */
export const HomeTurn = z.strictObject({ list: HomeList, page: z.int().positive().max(1000) });
export type HomeTurn = z.infer<typeof HomeTurn>;

/** Which page of each list someone sees; the first by default. */
export const HomePages = z.partialRecord(HomeList, z.int());
export type HomePages = Readonly<z.infer<typeof HomePages>>;

/** The value of the buttons below a list: `mutes:2`. */
export function turnValue({ list, page }: HomeTurn): string {
  return `${list}:${page}`;
}

/** Null when the button comes from another version. */
export function turnOf(value: string): HomeTurn | null {
  const [list, page] = value.split(':');
  return HomeTurn.safeParse({ list, page: Number(page) }).data ?? null;
}

export interface ListPage<T> {
  readonly shown: readonly T[];
  /** From 1. */
  readonly page: number;
  readonly pages: number;
  /** How many entries precede this page, and how many there are in total. */
  readonly before: number;
  readonly total: number;
}

/** One page of a list. A page number that is too high gives the last page: the list may have become shorter. */
export function listPage<T>(all: readonly T[], wanted: number, perPage: number): ListPage<T> {
  const pages = Math.max(1, Math.ceil(all.length / perPage));
  const page = Math.min(Math.max(1, wanted), pages);
  const before = (page - 1) * perPage;
  return { shown: all.slice(before, before + perPage), page, pages, before, total: all.length };
}
