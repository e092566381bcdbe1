export type Write<Args extends readonly unknown[], Result> = (...args: Args) => Promise<Result>;

export type Again = () => Promise<unknown>;

/** How to repeat a write that Redis has lost. */
export interface WriteRule<Store, Args extends readonly unknown[], Result> {
  /** Of several writes of a subject, by any process, only the last is repeated. Omitted: all writes, in any order. */
  readonly subject?: (...args: Args) => string;
  /** The same for the writes of this process alone, without asking the others: cheap. */
  readonly ownSubject?: (...args: Args) => string;
  /** Makes the repeat; null: nothing was written. Omitted: repeats the same call. */
  readonly again?: (store: Store, result: Result, ...args: Args) => Again | null | Promise<Again | null>;
}

/** Methods that need no rule: they write nothing, or only repeatable jobs and the sweep use them. */
export type Unremembered = 'reads' | 'jobs';
