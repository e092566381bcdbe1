/**
 * Makes an element. Children are nodes or text; text is never parsed as HTML.
 * Fields: `class`, `on…` listeners, `data-…`, `aria-…` and other attributes. False and undefined omit an attribute.
 */
export function h(tag, fields = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(fields ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else if (name === 'value') node.value = value;
    else node.setAttribute(name === 'class' ? 'class' : name, value === true ? '' : String(value));
  }
  append(node, children);
  return node;
}

const SVG = 'http://www.w3.org/2000/svg';

/** Makes an SVG element. */
export function svg(tag, fields = {}, ...children) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(fields)) node.setAttribute(name, String(value));
  append(node, children);
  return node;
}

function append(node, children) {
  for (const child of children.flat(Number.POSITIVE_INFINITY)) {
    if (child === undefined || child === null || child === false) continue;
    node.append(child);
  }
}

/** The URL if it is safe to follow, otherwise undefined: messages must not contain `javascript:`. */
export function safeUrl(address) {
  return /^(https?:\/\/|mailto:|tel:)/i.test(String(address)) ? String(address) : undefined;
}

/** A link that opens in a new tab. */
export function link(address, ...children) {
  const href = safeUrl(address);
  if (!href) return h('span', {}, ...children);
  return h('a', { href, target: '_blank', rel: 'noopener noreferrer' }, ...children);
}

/** Replaces everything in a node. */
export function fill(node, ...children) {
  node.replaceChildren();
  append(node, children);
  return node;
}
