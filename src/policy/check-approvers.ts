import * as opsIssue from '../ops/issue.ts';
import type { NotifyOps, NotifyResolved } from '../ops/notify-ops.ts';
import type { Policy, PolicySection } from './policy.ts';
import { isKnownDeactivated } from './who-may.ts';

interface CheckApproversDeps {
  readonly policy: () => Policy;
  /** For display only. */
  readonly person: Parameters<typeof isKnownDeactivated>[1];
  readonly groupMembers: (groupId: string) => Promise<readonly string[]>;
  readonly notifyOps: NotifyOps;
  readonly notifyResolved: NotifyResolved;
}

/**
 * Notifies ops when a policy section names approvers of whom none is left: all are deactivated in Slack, or only empty user
 * groups remain. Whoever Slack gives no answer about counts as left.
 */
export function createCheckApprovers({ policy, person, groupMembers, notifyOps, notifyResolved }: CheckApproversDeps) {
  return async function checkApprovers(): Promise<void> {
    const { standard, groups } = policy();
    // Groups of cards may have the approvers of all others.
    const own = groups.filter(({ approvers }) => approvers !== standard.approvers);
    for (const section of [standard, ...own]) {
      const isLeft = await isAnyLeft(section);
      await (isLeft ? notifyResolved : notifyOps)(opsIssue.noApprover(section.cardGroups));
    }
  };

  /** Also if the section names nobody: the policy wants that. */
  async function isAnyLeft({ approvers }: PolicySection): Promise<boolean> {
    const left = await Promise.all(approvers.permitted.map(mayBeLeft));
    return left.length === 0 || left.includes(true);
  }

  async function mayBeLeft(id: string): Promise<boolean> {
    if (!id.startsWith('S')) return !(await isKnownDeactivated(id, person));
    return await groupMembers(id).then(
      (members) => members.length > 0,
      () => true,
    );
  }
}
