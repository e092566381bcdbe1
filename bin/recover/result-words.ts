import type { Gap } from '../../src/core/gap.ts';
import { terminalCommand } from '../../src/core/installation.ts';
import type { RecoveryProgress } from '../../src/recovery/recovery-store.ts';
import { countOf } from '../../templates/core/blocks.ts';
import { notFetched, unsentWords } from '../../templates/recovery/recovery-line.ts';

type Result = Pick<RecoveryProgress, 'start' | 'found' | 'recovered' | 'unsent' | 'unreadable' | 'statuses'>;

/** What a recovery has found, for a terminal. Card statuses are not among the events that the card service returned. */
export function resultWords(result: Result, { from, to }: Gap, isDryRun: boolean): string {
  const { found, unreadable, statuses } = result;
  const recovered = Math.max(0, result.recovered - statuses);
  const missed = recovered + unreadable;
  // Nothing says when a reversal happened, so those of purchases before that time are among them.
  const due = `${countOf(found, 'event')} that may have been due between ${result.start ?? from} and ${to}`;
  const what = `${missed} of ${due} ${missed === 1 ? 'was' : 'were'} missed`;
  const unsent = unsentWords({ recovered, unsent: result.unsent });
  const more = unsent === '' ? '' : `${unsent}\n`;
  if (isDryRun) return `${what}. Nothing was changed.\n${more}Card statuses are not counted. ${notFetched}\n`;
  const aside = unreadable === 0 ? '' : `, ${unreadable} kept aside (${terminalCommand('replay -- list')})`;
  const changed = statuses === 0 ? '' : `${countOf(statuses, 'card')} changed status without a webhook.\n`;
  return `${what}; ${recovered} recovered${aside}.\n${more}${changed}${notFetched}\n`;
}
