import { maskCardNumbers } from '../core/card-number.ts';

/** A secret inside a text, such as JSON that was encoded twice: a name, a little between, digits. */
const secretInText =
  /(cvv2?|cvc2?|security[\s_-]?code|account[\s_-]?number)([^\p{L}\d]{1,5}(?:is\s|was\s)?)\d(?:[\s-]?\d)*/giu;

/** Words from outside as people may see them: card numbers masked, security codes and account numbers removed. */
export function redactText(text: string): string {
  return maskCardNumbers(text).replace(secretInText, '$1$2[removed]');
}
