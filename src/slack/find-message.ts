import type webApi from '@slack/web-api';

/** Event type of our messages' metadata. Any app in the workspace may read metadata, so it holds an opaque id only. */
export const METADATA_TYPE = 'cardbell_message';

/** A message of a history, as far as it is looked at. */
export interface FoundMessage {
  readonly ts?: string;
  readonly files?: readonly ({ readonly name?: string | null } | null)[] | null;
}

/** What both kinds of history answer. */
interface Page {
  readonly messages?: readonly (FoundMessage | null)[] | null;
  readonly response_metadata?: { readonly next_cursor?: string | null } | null;
}

/** The newest message of a channel, or of a thread, that fits: its ts, or null. */
export async function findMessage(
  client: webApi.WebClient,
  channel: string,
  sinceMs: number,
  threadTs: string | null,
  fits: (message: FoundMessage) => boolean,
): Promise<string | null> {
  const place = { channel, oldest: String(Math.floor(sinceMs / 1000) - 60), limit: 200, include_all_metadata: true };
  let cursor: string | null | undefined;
  do {
    const asked = cursor === undefined || cursor === null ? place : { ...place, cursor };
    const page: Page =
      threadTs === null
        ? await client.conversations.history(asked)
        : await client.conversations.replies({ ...asked, ts: threadTs });
    const found = page.messages?.find((message) => message !== null && fits(message));
    if (found?.ts) return found.ts;
    cursor = page.response_metadata?.next_cursor;
  } while (cursor);
  return null;
}

/** The opaque id that a message of ours carries. */
export function refOf(message: object): unknown {
  const { metadata } = message as { metadata?: { event_type?: string; event_payload?: { ref?: unknown } } };
  return metadata?.event_type === METADATA_TYPE ? metadata.event_payload?.ref : undefined;
}
