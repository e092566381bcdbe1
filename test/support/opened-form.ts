import type { StoredView } from '../../workspace/server.ts';
import type { RunningCardbell } from './running-cardbell.ts';
import { until } from './until.ts';

/** Does what opens a form for a person, and waits for it: the form of an earlier test may still be open. */
export async function openedForm(
  { workspace }: Pick<RunningCardbell, 'workspace'>,
  user: string,
  open: () => Promise<unknown>,
): Promise<StoredView> {
  const top = (): StoredView | undefined => workspace.views.top(user);
  const earlier = top()?.id;
  await open();
  await until(() => ![undefined, earlier].includes(top()?.id), 'the form opens');
  return top() as StoredView;
}
