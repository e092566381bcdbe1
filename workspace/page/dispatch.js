import { askConfirm } from './confirm.js';

/** Sends an action, and shows on its control that it is in progress. Resolves to whether it was sent. */
export async function dispatch(host, block, element, control, deed, value) {
  // Not disabled in the meantime: that would take the keyboard focus away.
  if (control.getAttribute('aria-busy') === 'true') return false;
  if (element.confirm && !(await askConfirm(element.confirm, host.people))) return false;
  control.classList.add('busy');
  control.setAttribute('aria-busy', 'true');
  try {
    await host.act(deed, { actionId: element.action_id, blockId: block.block_id, value });
  } finally {
    control.classList.remove('busy');
    control.removeAttribute('aria-busy');
  }
  return true;
}

/** A value that a person chose or typed: kept in a form, sent immediately elsewhere. */
export function entered(host, block, element, control, value) {
  host.change(block, element, value);
  const form = block.type === 'input' && !block.dispatch_action;
  if (!form) return dispatch(host, block, element, control, 'select', value);
  return Promise.resolve(true);
}
