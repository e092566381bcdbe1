import type { Thread } from './client.ts';
import type { Message } from './message.ts';

/** Blocks that not every workspace knows yet. */
export type NewBlock = 'chart' | 'table';

/** Something ready to be posted. */
export type Draft =
  | {
      readonly kind: 'message';
      readonly message: Message;
      readonly thread: Thread | null;
      /** Which of the newer blocks it has: without them Slack may take it where it refused it. */
      readonly newBlocks: readonly NewBlock[];
    }
  /** A file that Slack holds already, not yet shown to anybody. */
  | { readonly kind: 'file'; readonly file: UploadedFile; readonly comment: string; readonly threadTs: string | null };

export interface UploadedFile {
  readonly id: string;
  readonly name: string;
  readonly title: string;
}
