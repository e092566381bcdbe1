import type { KnownBlock } from '@slack/types';

/** An uploaded and shared file. */
export interface StoredFile {
  id: string;
  name: string;
  title: string;
  mimetype: string;
  size: number;
  content: Buffer;
  complete: boolean;
}

/** A reaction to a message. */
export interface StoredReaction {
  name: string;
  users: string[];
  count: number;
}

/** Data that an app attached to a message. https://docs.slack.dev/messaging/message-metadata */
export interface StoredMetadata {
  event_type: string;
  event_payload: Record<string, unknown>;
}

/** A message as stored by the workspace: Slack's field names, plus its channel and audience. */
export interface StoredMessage {
  channel: string;
  ts: string;
  text: string;
  user: string;
  /** Set when an app posted it. */
  bot_id?: string;
  username?: string;
  subtype?: string;
  blocks?: KnownBlock[];
  attachments?: Record<string, unknown>[];
  metadata?: StoredMetadata;
  thread_ts?: string;
  reply_count?: number;
  reply_users?: string[];
  latest_reply?: string;
  edited?: { user: string; ts: string };
  reactions?: StoredReaction[];
  files?: string[];
  /** The only user who sees it. */
  ephemeralUser?: string;
}
