/** A mutant that no test can notice, because the program does the same. */
export interface EquivalentMutant {
  readonly file: string;
  /** The line it is in, without the blanks around it. */
  readonly text: string;
  /** As the run names it. */
  readonly what: string;
  readonly reason: string;
}

export const EQUIVALENT: readonly EquivalentMutant[] = [];
