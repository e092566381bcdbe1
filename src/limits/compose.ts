import type { LimitDeps } from './deps.ts';
import { createTemporaryTerms, type TemporaryTerms } from './open-temporary-change.ts';
import { createSupersede } from './supersede.ts';

/** What makes changes end by themselves, from what all actions are handed. */
export function composeTemporaryTerms(deps: LimitDeps): TemporaryTerms {
  const supersede = createSupersede(deps);
  return createTemporaryTerms({ ...deps, supersede });
}
