import { parse } from 'csv-parse/sync';
import type { StoredMessage, Workspace } from '../../workspace/server.ts';

interface Block {
  readonly type: string;
  readonly text?: { readonly text: string };
  readonly rows?: readonly (readonly { readonly text?: string }[])[];
}

const dollars = /\$([\d,]+\.\d\d) at /;

/**
 * The amounts (cents) of the alerts shown in messages, once per appearance: in a separate message, a row of a list, a row
 * of a table, or a line of a file.
 */
export async function readableAmounts(workspace: Workspace, messages: readonly StoredMessage[]): Promise<number[]> {
  const amounts: number[] = [];
  for (const { blocks = [], files = [] } of messages) {
    for (const block of blocks as unknown as readonly Block[]) amounts.push(...inBlock(block));
    for (const id of files) amounts.push(...inCsv(await textOf(workspace, id)));
  }
  return amounts;
}

function inBlock({ type, text, rows }: Block): number[] {
  if (type === 'data_table') {
    const column = rows?.[0]?.findIndex((cell) => cell.text === 'Amount') ?? -1;
    return (rows ?? []).slice(1).map((row) => cents(row[column]?.text ?? ''));
  }
  const amount = type === 'header' || type === 'section' ? dollars.exec(text?.text ?? '')?.[1] : undefined;
  return amount === undefined ? [] : [cents(amount)];
}

export function csvLines(text: string): string[] {
  return text.replace('\uFEFF', '').split('\r\n').filter(Boolean);
}

/** By its text: whoever waits for messages reads the same files again and again. */
const amountsIn = new Map<string, readonly number[]>();

function inCsv(text: string): readonly number[] {
  const known = amountsIn.get(text);
  if (known !== undefined) return known;
  const rows = parse(text, { bom: true, columns: true }) as Record<string, string>[];
  const amounts = rows.map((row) => cents(row['Amount (USD)'] ?? ''));
  amountsIn.set(text, amounts);
  return amounts;
}

/** The content of a shared file. */
export async function textOf({ url }: Workspace, fileId: string): Promise<string> {
  const response = await fetch(`${url}files/${fileId}/`);
  if (!response.ok) throw new Error(`file ${fileId} does not exist`);
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(await response.arrayBuffer());
}

function cents(amount: string): number {
  return Math.round(Number(amount.replaceAll(/[$,]/g, '')) * 100);
}
