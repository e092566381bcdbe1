import type { Change, Core } from './core.ts';
import type { StoredMessage } from './message.ts';

const WAIT_MS = 60_000;
const SHOWN_MAX = 20;

function describe(message: StoredMessage): string {
  const who = message.ephemeralUser ? ` (only ${message.ephemeralUser})` : '';
  const thread = message.thread_ts && message.thread_ts !== message.ts ? ` in thread ${message.thread_ts}` : '';
  const blocks = message.blocks ? ` [${message.blocks.map((block) => block.type).join(', ')}]` : '';
  return `  ${message.channel} ${message.ts}${thread}${who}: ${JSON.stringify(message.text.slice(0, 160))}${blocks}`;
}

function dump(core: Core): string {
  const messages = [...core.state.messages.values()].flat().concat(core.state.ephemerals);
  messages.sort((a, b) => a.ts.localeCompare(b.ts));
  const calls = core.calls.map((call) => `  ${call.method} ${call.status}${call.error ? ` ${call.error}` : ''}`);
  const said = messages.slice(-SHOWN_MAX).map(describe);
  return `messages:\n${said.join('\n') || '  none'}\ncalls:\n${calls.slice(-SHOWN_MAX).join('\n') || '  none'}`;
}

/** Waits for a matching message. Rejects with a dump of the existing ones. */
export async function waitForMessage(
  core: Core,
  predicate: (message: StoredMessage) => boolean,
  timeoutMs = WAIT_MS,
): Promise<StoredMessage> {
  const present = [...core.state.messages.values()].flat().concat(core.state.ephemerals);
  const found = present.find((message) => predicate(structuredClone(message)));
  if (found) return structuredClone(found);
  return await new Promise((resolve, reject) => {
    const settle = (end: () => void) => {
      clearTimeout(late);
      core.changes.off('change', look);
      end();
    };
    const look = (change: Change) => {
      if (change.type !== 'message' || change.kind === 'deleted') return;
      try {
        if (predicate(change.message)) settle(() => resolve(change.message));
      } catch (error) {
        settle(() => reject(error instanceof Error ? error : new Error(String(error))));
      }
    };
    const late = setTimeout(() => {
      settle(() => reject(new Error(`no such message within ${timeoutMs} ms\n${dump(core)}`)));
    }, timeoutMs);
    core.changes.on('change', look);
  });
}
