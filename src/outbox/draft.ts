import type { Thread, UploadedFile } from '../slack/client.ts';
import type { Message } from '../slack/message.ts';
import type { Batch } from './batch-store.ts';

/** Blocks that not every workspace supports yet. */
export type NewBlock = 'chart' | 'table';

/** Something ready to be posted. */
export type Draft =
  | {
      readonly kind: 'message';
      readonly message: Message;
      readonly thread: Thread | null;
      /** Which of the newer blocks it has: without them Slack may take it where it refused it. */
      readonly newBlocks: readonly NewBlock[];
      /** Several alerts in one message, and which; null for everything else. */
      readonly batch: Batch | null;
      /** Of each tracked entry, in their order, the revision that it shows. */
      readonly revisions: readonly number[];
    }
  /** A file that Slack holds already, not yet shown to anybody. */
  | { readonly kind: 'file'; readonly file: UploadedFile; readonly comment: string; readonly threadTs: string | null };
