/** `daily limit $150.00`, `daily limit $400.00` → `Daily limit $150.00 → $400.00`: what both sides name is named once. Raw. */
export function changeWords(before: string, after: string): string {
  const [from, to] = [before.split(' '), after.split(' ')];
  const shared = from.findIndex((word, i) => word !== to[i]);
  const short = shared < 1 ? after : to.slice(shared).join(' ');
  const text = `${before} → ${short || after}`;
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Each part as a sentence: it begins with a capital and ends with one full stop. Raw. */
export function sentences(...parts: readonly (string | null | undefined)[]): string {
  return parts
    .map((part) => part?.trim() ?? '')
    .filter(Boolean)
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1) + (/[.!?…][”"]?$/.test(part) ? '' : '.'))
    .join(' ');
}
