import { BLOCKED } from '../../templates/core/card-words.ts';
import { sentences } from '../../templates/core/change-words.ts';
import { alsoNeeded } from '../../templates/limits/also-needed-words.ts';
import type { Action } from '../actions/action.ts';
import type { Result } from '../actions/action-state.ts';
import { isLooser, type RuleChange } from '../card-api/rule-change.ts';
import { changeRequestOf } from './change-request.ts';

/** The note of a change that was made, and what still stops the purchase, as far as was known when it was asked for. */
export function withObstacles(
  note: Result['note'],
  {
    action,
    card,
    changes,
  }: Pick<Result, 'card'> & { readonly action: Action; readonly changes: readonly RuleChange[] },
): Pick<Result, 'note' | 'alsoNeeds' | 'isBlocked'> {
  if (!isLooser(changes)) return { note };
  const isBlocked = card.status === 'BLOCKED';
  const { alsoNeeds } = changeRequestOf(action) ?? {};
  const obstacles = sentences(isBlocked ? BLOCKED : null, alsoNeeded(alsoNeeds));
  return {
    note: obstacles === '' ? note : sentences(note, obstacles),
    ...(alsoNeeds !== undefined && { alsoNeeds }),
    ...(isBlocked && { isBlocked }),
  };
}
