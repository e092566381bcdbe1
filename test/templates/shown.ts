import type { KnownBlock } from '@slack/types';

/** Every text of a message or view, in order. */
export function texts(node: unknown): { readonly type: string; readonly text: string }[] {
  if (Array.isArray(node)) return node.flatMap(texts);
  if (typeof node !== 'object' || node === null) return [];
  const { type, text } = node as { type?: unknown; text?: unknown };
  if (typeof text === 'string' && typeof type === 'string') return [{ type, text }];
  return Object.values(node).flatMap(texts);
}

/** All readable text in one string. */
export function shown(blocks: readonly KnownBlock[]): string {
  return texts(blocks)
    .map(({ text }) => text)
    .join('\n');
}

interface ShownButton {
  readonly action_id: string;
  readonly text: { readonly text: string };
  readonly value?: string;
  readonly style?: string;
  readonly url?: string;
  readonly confirm?: unknown;
}

function isButton(node: object): node is ShownButton {
  return 'type' in node && node.type === 'button';
}

/** Every button, in order. */
export function buttons(node: unknown): ShownButton[] {
  if (Array.isArray(node)) return node.flatMap(buttons);
  if (typeof node !== 'object' || node === null) return [];
  return isButton(node) ? [node] : Object.values(node).flatMap(buttons);
}

export function buttonIds(blocks: readonly KnownBlock[]): string[] {
  return buttons(blocks).map(({ action_id }) => action_id);
}
