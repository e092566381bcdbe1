import { z } from 'zod';
import { contentId } from './content-id.ts';

/** A period in which webhooks may have been missed. */
export const Gap = z.strictObject({
  id: z.string().regex(/^(gap|act)_[0-9a-z]+$/),
  /** UTC ISO 8601: when webhooks were last known to be accepted. */
  from: z.string(),
  /** When they were accepted again, or the end of the period that someone asked about. */
  to: z.string(),
  /**
   * `start`: a web process started. `away`: Redis accepted no writes. `stalled`: the process was frozen. `rewound`:
   * Redis came back with older data, or may have. `unnoticed`: webhooks were accepted, but did not arrive. `asked`: a
   * person asked for a check.
   */
  cause: z.enum(['start', 'away', 'stalled', 'rewound', 'unnoticed', 'asked']),
});
export type Gap = z.infer<typeof Gap>;

/** The gap between two times, in milliseconds. Equal times give the same id. */
export function gapOf(fromMs: number, toMs: number, cause: Gap['cause']): Gap {
  const [from, to] = [new Date(fromMs).toISOString(), new Date(toMs).toISOString()];
  return { id: contentId('gap_', [from, to]), from, to, cause };
}
