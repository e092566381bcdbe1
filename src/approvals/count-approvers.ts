/** Somebody who approved, and whose approval theirs may count as: their own, or that of people they stand in for. */
export interface Approver {
  readonly by: string;
  readonly inPlaceOf: readonly string[];
}

/**
 * Whose approvals count, and as whose: a person and all their delegates are one. Whoever has the role themselves counts.
 * Each delegate counts for one of the people who are left, so that as many count as possible, in whatever order they
 * approved.
 */
export function countApprovers(approvers: readonly Approver[]): ReadonlyMap<string, Approver> {
  const counted = new Map<string, Approver>();
  const isByRole = ({ by, inPlaceOf }: Approver) => inPlaceOf.includes(by);
  const delegates = approvers.filter((approver) => !isByRole(approver));
  for (const approver of [...approvers.filter(isByRole), ...delegates]) count(approver, new Set());
  return counted;

  /** A delegate who is counted already may have to count for another person. */
  function count(approver: Approver, tried: Set<string>): boolean {
    return approver.inPlaceOf.some((userId) => {
      if (tried.has(userId)) return false;
      tried.add(userId);
      const other = counted.get(userId);
      if (other !== undefined && !count(other, tried)) return false;
      counted.set(userId, approver);
      return true;
    });
  }
}

/** Of the people these approvers act for, those as whom nobody else can count. */
export function fullyCounted(approvers: readonly Approver[]): string[] {
  const most = countApprovers(approvers).size;
  const people = [...new Set(approvers.flatMap(({ inPlaceOf }) => inPlaceOf))];
  return people.filter((userId) => countApprovers([...approvers, { by: '', inPlaceOf: [userId] }]).size === most);
}
