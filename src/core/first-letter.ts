/** A text that starts a sentence or stands alone. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A title or sentence that continues another. A name, an abbreviation or “I” stays as it is: `USPS`, `FedEx`, `PIN`. */
export function lowerFirst(text: string): string {
  if (/^(?:\p{Lu}\p{L}*\p{Lu}|I\b)/u.test(text)) return text;
  return text.charAt(0).toLowerCase() + text.slice(1);
}
