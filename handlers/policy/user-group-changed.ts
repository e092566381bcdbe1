import type { ListenerDeps } from '../deps.ts';

interface UserGroupEvent {
  readonly subteam_id?: string;
  readonly subteam?: { readonly id?: string };
}

/** A user group changed: who may do what is read again at the next click, and App Home shows no more than that. */
export function userGroupChanged({ permissions, homeViewers, renderHome }: ListenerDeps) {
  return async ({ event }: { event: object }): Promise<void> => {
    const { subteam_id, subteam } = event as UserGroupEvent;
    const id = subteam_id ?? subteam?.id;
    if (id === undefined) return;
    permissions.forgetGroup(id);
    for (const userId of await homeViewers.all()) await renderHome(userId, false);
  };
}
