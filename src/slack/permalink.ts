/** Writing something down must not wait for Slack. */
const PATIENCE_MS = 1500;
const RETRY_MS = 60_000;

/**
 * Addresses of messages, as *Copy link* gives them. The workspace's own address is asked for once.
 * https://docs.slack.dev/reference/methods/chat.getPermalink
 *
 * @returns null while Slack does not say where the workspace is.
 */
export function createPermalink(
  authTest: () => Promise<{ url: string }>,
  now: () => number = Date.now,
): (channel: string, ts: string) => Promise<string | null> {
  let workspace: string | null = null;
  let askAgainAt = 0;

  return async function permalink(channel, ts) {
    if (workspace === null && now() >= askAgainAt) {
      askAgainAt = now() + RETRY_MS;
      workspace = await within(PATIENCE_MS, ask());
    }
    return workspace === null ? null : `${workspace}archives/${channel}/p${ts.replace('.', '')}`;
  };

  async function ask(): Promise<string | null> {
    try {
      const { url } = await authTest();
      return url === '' ? null : url;
    } catch {
      return null;
    }
  }
}

async function within<T>(ms: number, work: Promise<T | null>): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
