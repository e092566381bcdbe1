import type { Json } from './json.ts';

/** A modal or App Home as stored by the workspace, with the fields that Slack adds. */
export interface StoredView {
  id: string;
  type: 'modal' | 'home';
  user: string;
  hash: string;
  root_view_id: string;
  previous_view_id: string | null;
  callback_id: string;
  external_id: string;
  private_metadata: string;
  title?: { type: string; text: string };
  submit?: { type: string; text: string } | null;
  close?: { type: string; text: string } | null;
  clear_on_close: boolean;
  notify_on_close: boolean;
  blocks: Json[];
  /** Input so far, by block and action. */
  state: { values: Record<string, Record<string, Json>> };
}
