/** Redis words the first three anywhere, and the others when a script does what its caller may not do. */
const refusals = /\b(?:NOPERM|NOAUTH|WRONGPASS)\b|\bACL failure in script\b|The user executing the script can't access/;

/**
 * True when Redis answered, but refuses this user or password, or what this user may not do. A retry cannot help. A
 * transaction, a cluster and a library have the reason in the errors within theirs.
 */
export function isRefused(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const ofNode = 'lastNodeError' in error ? error.lastNodeError : null;
  return refusals.test(error.message) || [...errorsOfCommands(error), ofNode, error.cause].some(isRefused);
}

/** Why a transaction failed: the errors of its commands. */
export function errorsOfCommands(error: Error): unknown[] {
  return 'previousErrors' in error && Array.isArray(error.previousErrors) ? error.previousErrors : [];
}
